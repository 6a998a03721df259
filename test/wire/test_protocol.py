"""HTTP as DynamoDB speaks it: health, 404s, content types, compression, checksums, envelopes."""

import gzip
import json
import re
import socket
import zlib

import pytest

from harness.raw import error_type

TARGET = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.ListTables"}
NOT_FOUND = b"<UnknownOperationException/>\n"


def exchange(db, payload, half_close=False):
    """Sends raw bytes on a connection of their own and returns everything until the server closes."""
    with socket.create_connection((db.url.hostname, db.url.port), timeout=30) as connection:
        connection.sendall(payload)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
        return answer


def raw_request(db, body, headers, close=True):
    signed = db.signed_headers(body, {**TARGET, **headers})
    if close:
        signed["Connection"] = "close"
    signed.setdefault("Host", db.url.netloc)
    lines = "".join(f"{name}: {value}\r\n" for name, value in signed.items())
    return f"POST / HTTP/1.1\r\n{lines}".encode()


class TestHealth:
    def test_root_says_healthy(self, db):
        reply = db.send("GET", "/")
        body = f"healthy: {db.url.netloc} ".encode()
        assert (reply.status, reply.body) == (200, body)
        assert reply.headers["x-amz-crc32"] == str(zlib.crc32(body))

    def test_by_the_name_it_was_asked_by(self, db):
        assert db.send("GET", "/", headers={"Host": "localhost:1234"}).body == b"healthy: localhost:1234 "

    def test_only_the_root_path(self, db):
        assert db.send("GET", "/health").status == 404

    @pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
    def test_other_methods_are_404(self, db, method):
        reply = db.send(method, "/")
        assert (reply.status, reply.body) == (404, NOT_FOUND)

    def test_other_path_is_404(self, db):
        body = b"{}"
        reply = db.send("POST", "/other", db.signed_headers(body, TARGET, path="/other"), body)
        assert (reply.status, reply.body) == (404, NOT_FOUND)

    @pytest.mark.parametrize("content_type", ["text/plain", "application/x-amz-json-1.1", "application/cbor"])
    def test_other_content_type_is_404(self, db, content_type):
        reply = db.post("ListTables", {}, headers={"Content-Type": content_type})
        assert (reply.status, reply.body) == (404, NOT_FOUND)


class TestContentType:
    @pytest.mark.parametrize("sent, answered", [
        ("application/x-amz-json-1.0", "application/x-amz-json-1.0"),
        ("application/json", "application/json"),
        ("application/json; charset=utf-8", "application/json"),
    ])
    def test_the_reply_echoes_the_media_type(self, db, sent, answered):
        reply = db.post("ListTables", {}, headers={"Content-Type": sent})
        assert (reply.status, reply.headers["Content-Type"]) == (200, answered)


def test_options_without_origin_is_404(db):
    assert db.send("OPTIONS", "/").status == 404


class TestReplyHeaders:
    def test_request_id_crc_and_server(self, db):
        reply = db.post("ListTables", {})
        assert re.fullmatch("[A-Z0-9]{52}", reply.headers["x-amzn-RequestId"])
        assert int(reply.headers["x-amz-crc32"]) == zlib.crc32(reply.body)
        assert reply.headers["Server"] == "Server"
        assert reply.headers["Date"].endswith(" GMT")

    def test_request_ids_differ(self, db):
        ids = {db.post("ListTables", {}).headers["x-amzn-RequestId"] for _ in range(20)}
        assert len(ids) == 20

    def test_errors_carry_a_crc_too(self, db):
        reply = db.post("DescribeTable", {"TableName": "no-such-table"})
        assert reply.status == 400
        assert int(reply.headers["x-amz-crc32"]) == zlib.crc32(reply.body)


class TestCompression:
    @pytest.fixture(scope="class")
    def big_item(self, db, hash_table):
        item = {"pk": {"S": "big-for-compression"}, "text": {"S": "abcdefgh" * 1000}}
        db.ok("PutItem", {"TableName": hash_table, "Item": item})
        return {"TableName": hash_table, "Key": {"pk": item["pk"]}}

    @pytest.mark.parametrize("encoding", ["gzip", "deflate"])
    def test_a_large_reply_is_compressed_on_request(self, db, big_item, encoding):
        reply = db.post("GetItem", big_item, headers={"Accept-Encoding": encoding})
        assert reply.headers["Content-Encoding"] == encoding
        assert len(reply.body) < 1000
        assert int(reply.headers["x-amz-crc32"]) == zlib.crc32(reply.body), "of the bytes as sent"
        assert reply.json["Item"]["text"]["S"] == "abcdefgh" * 1000

    def test_a_large_reply_without_the_header_is_plain(self, db, big_item):
        reply = db.post("GetItem", big_item, headers={"Accept-Encoding": "identity"})
        assert "Content-Encoding" not in reply.headers

    def test_4096_bytes_are_not_compressed_and_4097_are(self, db, hash_table):
        frame = len(b'{"Item":{"pk":{"S":"edge"},"t":{"S":""}}}')
        for size, compressed in ((4096, False), (4097, True)):
            item = {"pk": {"S": "edge"}, "t": {"S": "x" * (size - frame)}}
            db.ok("PutItem", {"TableName": hash_table, "Item": item})
            reply = db.post("GetItem", {"TableName": hash_table, "Key": {"pk": item["pk"]}},
                            headers={"Accept-Encoding": "gzip"})
            assert len(reply.plain()) == size
            assert ("Content-Encoding" in reply.headers) == compressed

    @pytest.mark.parametrize("accepted, used", [
        ("x-gzip", None), ("compress", None), ("br", None), ("zstd", None), ("gzip;q=0", None), ("*;q=0", None),
        ("*", "gzip"), ("deflate, gzip", "deflate"), ("gzip, deflate", "gzip"), ("br, deflate", "deflate"),
        ("gzip;q=0, deflate", "deflate"), ("deflate;q=0.1, gzip;q=0.9", "deflate"), ("zstd, *", "gzip")])
    def test_the_first_known_coding_is_used(self, db, big_item, accepted, used):
        assert db.post("GetItem", big_item, headers={"Accept-Encoding": accepted}).headers.get("Content-Encoding") == used

    def test_of_several_lines_the_first_counts(self, db, big_item):
        body = json.dumps(big_item).encode()
        headers = db.signed_headers(body, {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.GetItem"})
        connection = db.connect()
        connection.putrequest("POST", "/", skip_accept_encoding=True)
        for name, value in [*headers.items(), ("Content-Length", str(len(body))), ("Accept-Encoding", "deflate"), ("Accept-Encoding", "gzip")]:
            connection.putheader(name, value)
        connection.endheaders(body)
        assert connection.getresponse().headers["Content-Encoding"] == "deflate"
        connection.close()

    def test_x_gzip_is_no_request_coding_either(self, db):
        assert db.post("ListTables", gzip.compress(b"{}"), headers={"Content-Encoding": "x-gzip"}).status == 400

    @pytest.mark.parametrize("name, compress", [("gzip", gzip.compress), ("deflate", zlib.compress)])
    def test_requests_may_be_compressed(self, db, name, compress):
        assert "TableNames" in db.ok("ListTables", compress(b'{"Limit": 1}'), headers={"Content-Encoding": name})

    def test_several_gzip_members(self, db):
        body = gzip.compress(b'{"Limit"') + gzip.compress(b": 1}")
        assert "TableNames" in db.ok("ListTables", body, headers={"Content-Encoding": "gzip"})

    @pytest.mark.parametrize("body", [b"this is not gzip", gzip.compress(b'{"Limit": 1}')[:-9], b"", gzip.compress(b"{}") + b"x"])
    def test_corrupt_gzip_is_the_clients_fault(self, db, body):
        db.error("ListTables", body, "SerializationException", headers={"Content-Encoding": "gzip"})

    def test_an_unknown_encoding_is_refused(self, db):
        assert db.post("ListTables", b"{}", headers={"Content-Encoding": "br"}).status >= 400

    def test_a_gzip_bomb_is_refused(self, db):
        bomb = gzip.compress(b'{"a":"' + b"0" * (64 << 20) + b'"}')
        reply = db.post("ListTables", bomb, headers={"Content-Encoding": "gzip"})
        assert (reply.status, reply.body) == (413, b""), "as a body of that length"
        assert db.post("ListTables", {}).status == 200


class TestFraming:
    def test_keep_alive_and_close(self, db):
        connection = db.connect()
        for _ in range(3):
            connection.request("GET", "/")
            response = connection.getresponse()
            response.read()
            assert not response.will_close
        connection.request("GET", "/", headers={"Connection": "close"})
        response = connection.getresponse()
        response.read()
        assert response.will_close
        connection.close()

    def test_pipelined_requests_are_answered_in_order(self, db):
        one = raw_request(db, b'{"Limit":1}', {}, close=False) + b"Content-Length: 11\r\n\r\n" + b'{"Limit":1}'
        last = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        answer = exchange(db, one * 5 + last)
        assert answer.count(b"HTTP/1.1 200") == 6
        assert answer.rstrip().endswith(b"healthy: localhost")

    def test_chunked_bodies(self, db):
        body = b'{"Limit": 1}'
        head = raw_request(db, body, {}) + b"Transfer-Encoding: chunked\r\n\r\n"
        chunks = b"3\r\n" + body[:3] + b"\r\n" + b"9;ext=1\r\n" + body[3:] + b"\r\n0\r\nTrailer: x\r\n\r\n"
        assert exchange(db, head + chunks).startswith(b"HTTP/1.1 200")

    def test_expect_continue(self, db):
        body = b'{"Limit": 1}'
        head = raw_request(db, body, {}) + b"Expect: 100-continue\r\nContent-Length: 12\r\n\r\n"
        with socket.create_connection((db.url.hostname, db.url.port), timeout=30) as connection:
            connection.sendall(head)
            assert connection.recv(1000).startswith(b"HTTP/1.1 100")
            connection.sendall(body)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")

    @pytest.mark.parametrize("chunks", [b"zz\r\nhello\r\n", b"-1\r\n\r\n", b"ffffffffffffffffff\r\n", b"3\r\nabcd\r\n0\r\n\r\n"])
    def test_bad_chunking_is_refused(self, db, chunks):
        answer = exchange(db, raw_request(db, b"{}", {}) + b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 400")

    def test_a_body_over_16_mib_is_413(self, db):
        reply = db.post("ListTables", b'{"a":"' + b"x" * (16 << 20) + b'"}')
        assert (reply.status, reply.body) == (413, b"")

    def test_a_declared_length_over_16_mib_is_413_before_the_body(self, db):
        answer = exchange(db, raw_request(db, b"{}", {}) + b"Content-Length: 99999999999\r\n\r\n", half_close=True)
        assert answer.startswith(b"HTTP/1.1 413")

    def test_headers_over_16_kb_are_400(self, db):
        answer = exchange(db, b"POST / HTTP/1.1\r\nHost: x\r\nX-Large: " + b"a" * 17000 + b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 400")

    def test_a_request_line_over_16_kb_is_400(self, db):
        assert exchange(db, b"GET /" + b"a" * 17000 + b" HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400")

    @pytest.mark.parametrize("line", [b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\nnonsense\r\n\r\n"])
    def test_not_http_is_refused(self, db, line):
        answer = exchange(db, line, half_close=True)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4") or answer.startswith(b"HTTP/1.1 505")


class TestEnvelope:
    def test_unknown_operation_has_no_message(self, db):
        assert db.error("Nonsense", {}, "UnknownOperationException").keys() == {"__type"}

    @pytest.mark.parametrize("prefix", ["DynamoDB_20111205", "Other_20120810", ""])
    def test_unknown_prefix(self, db, prefix):
        db.error("ListTables", {}, "UnknownOperationException", prefix=prefix)

    def test_a_missing_target(self, db):
        headers = db.signed_headers(b"{}", {"Content-Type": "application/x-amz-json-1.0"})
        reply = db.send("POST", "/", headers, b"{}")
        assert (reply.status, reply.json) == (400, {"__type": error_type("UnknownOperationException")})

    @pytest.mark.parametrize("body", [b"{", b"{]", b'{"TableName": "abc"', b"nonsense", b'{"a": \xff\xfe}', b'{"a":"\xff"}', b"{} {}", b'{"a":01}'])
    def test_json_that_does_not_parse(self, db, body):
        assert db.error("ListTables", body, "SerializationException").keys() == {"__type"}

    def test_parsing_comes_before_the_target(self, db):
        db.error("Nonsense", b"{", "SerializationException")

    def test_an_empty_body(self, db):
        assert db.error("ListTables", b"", "SerializationException").keys() == {"__type"}

    @pytest.mark.parametrize("body", [b"[]", b'"text"', b"1", b"null"])
    def test_a_body_that_is_no_object(self, db, body):
        db.error("ListTables", body, "SerializationException")

    def test_unknown_members_and_nulls_are_ignored(self, db):
        assert "TableNames" in db.ok("ListTables", {"Bogus": {"a": [1]}, "Limit": None})

    def test_member_names_are_case_sensitive(self, db):
        db.ok("ListTables", {"limit": "not a number"})

    def test_user_text_in_messages_is_escaped(self, db):
        name = 'a"b\\c\n'
        members = db.invalid("GetItem", {"TableName": name, "Key": {"pk": {"S": "a"}}})
        assert f"Value '{name}' at 'tableName'" in members["message"]

    def test_very_deep_nesting_does_not_hurt(self, db, hash_table):
        deep = b'{"L":[' * 20000 + b']}' * 20000
        body = b'{"TableName":"%s","Item":{"pk":{"S":"deep"},"a":%s}}' % (hash_table.encode(), deep)
        assert db.post("PutItem", body).status == 400
        assert db.post("ListTables", {}).status == 200


class TestSerialization:
    """A wrong JSON type; the member is `Message` here."""

    @pytest.mark.parametrize("body, message", [
        ({"Limit": "1"}, "STRING_VALUE cannot be converted to Integer"),
        ({"Limit": True}, "TRUE_VALUE cannot be converted to Integer"),
        ({"ExclusiveStartTableName": 1}, "NUMBER_VALUE cannot be converted to String"),
        ({"ExclusiveStartTableName": 1.5}, "DECIMAL_VALUE cannot be converted to String"),
        ({"ExclusiveStartTableName": False}, "FALSE_VALUE cannot be converted to String"),
        ({"ExclusiveStartTableName": {}}, "Start of structure or map found where not expected"),
        ({"ExclusiveStartTableName": []}, "Unrecognized collection type class java.lang.String"),
    ])
    def test_list_tables(self, db, body, message):
        assert db.error("ListTables", body, "SerializationException", message)["Message"] == message

    @pytest.mark.parametrize("value, message", [
        ({"S": 1}, "NUMBER_VALUE cannot be converted to String"),
        ({"N": 3}, "NUMBER_VALUE cannot be converted to String"),
        ({"B": 1}, "only base-64-encoded strings are convertible to bytes"),
        ({"B": "abcde"}, "Base64 encoded length is expected a multiple of 4 bytes but found: 5"),
        ({"B": "YR=="}, "Invalid last non-pad Base64 character dectected"),
        ({"B": "not base64!!"}, None),
        ({"BOOL": "maybe"}, None),
        ({"SS": "a"}, "Unexpected field type"),
        ({"L": {}}, None),
        ({"M": []}, None),
        ("text", None),
    ])
    def test_attribute_values(self, db, hash_table, value, message):
        db.error("PutItem", {"TableName": hash_table, "Item": {"pk": {"S": "a"}, "x": value}},
                 "SerializationException", message)

    def test_booleans_may_be_text(self, db, hash_table, pk):
        db.ok("PutItem", {"TableName": hash_table, "Item": {"pk": pk, "b": {"BOOL": "TRUE"}}})
        assert db.ok("GetItem", {"TableName": hash_table, "Key": {"pk": pk}})["Item"]["b"] == {"BOOL": True}
