"""`armature shell`: statements from -e and scripts, output modes, errors and exit codes, credentials, and the prompt on a terminal."""

import http.server
import json
import os
import re
import ssl
import subprocess
import threading

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import pytest

from harness import tables
from harness.raw import RawClient
from harness.server import ROOT, Server, binary
from harness.terminal import Terminal

INDEX = {
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("Artist", "Song", "Album")],
    "GlobalSecondaryIndexes": [{
        "IndexName": "by-album", "KeySchema": [{"AttributeName": "Album", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"}}],
}


def environment(home):
    """As little as possible of the tester's own settings."""
    kept = {name: value for name, value in os.environ.items() if name == "PATH" or name.endswith("SAN_OPTIONS")}
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION"):
        if name in os.environ:
            kept[name] = os.environ[name]
    return {**kept, "HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm"}


class Shell:
    def __init__(self, endpoint, home):
        self.endpoint, self.home = endpoint, home

    def run(self, *arguments, script=None):
        return subprocess.run(
            [binary(), "shell", "--endpoint", self.endpoint, *arguments], env=environment(self.home), text=True,
            input=script if script is not None else "", capture_output=True, timeout=120)

    def out(self, *arguments, script=None):
        done = self.run(*arguments, script=script)
        assert done.returncode == 0 and done.stderr == "", done
        return done.stdout

    def terminal(self, *arguments, columns=100):
        return Terminal([binary(), "shell", "--endpoint", self.endpoint, *arguments], environment(self.home), columns)


@pytest.fixture
def shell(endpoint, tmp_path):
    return Shell(endpoint, tmp_path)


@pytest.fixture(scope="module")
def music(db):
    name = tables.create(db, "Artist:S", "Song:S", **INDEX)
    for item in (
        {"Artist": {"S": "Björk"}, "Song": {"S": "Hunter"}, "Plays": {"N": "7"}, "Live": {"NULL": True}},
        {"Artist": {"S": "Björk"}, "Song": {"S": "Jóga"}, "Plays": {"N": "1234"}, "Album": {"S": "Homogenic"},
         "Meta": {"M": {"tags": {"SS": ["a;b", "it's"]}, "raw": {"B": "AQID"}, "ok": {"BOOL": True}}}},
    ):
        db.ok("PutItem", {"TableName": name, "Item": item})
    yield name
    tables.drop(db, name)


def bjork(music):
    return f'SELECT * FROM "{music}" WHERE Artist = \'Björk\''


def test_a_table_with_aligned_columns(shell, music):
    meta = "{'ok': true, 'raw': {{AQID}}, 'tags': <<'a;b', 'it''s'>>}"
    assert shell.out("-e", bjork(music)) == (
        f" Artist | Song   | Album     | Live | {'Meta':57} | Plays\n"
        f"--------+--------+-----------+------+{'-' * 59}+-------\n"
        f" Björk  | Hunter | ·         | NULL | {'·':57} |     7\n"
        f" Björk  | Jóga   | Homogenic | ·    | {meta} |  1234\n"
        "(2 rows, 0.5 read units)\n")


def test_vertical(shell, music):
    text = shell.out("-o", "vertical", "-e", bjork(music) + " AND Song = 'Hunter'")
    assert text == ("-- row 1 --------\nArtist | 'Björk'\nSong   | 'Hunter'\nLive   | NULL\nPlays  | 7\n(1 row, 0.5 read units)\n")
    # \G asks for it once.
    once = shell.out("-e", bjork(music) + " AND Song = 'Hunter' \\G " + bjork(music) + ";")
    assert once.startswith(text) and " Artist | Song " in once


def test_json_is_plain_and_nothing_else(shell, music):
    lines = shell.out("-o", "json", "-e", bjork(music)).splitlines()
    assert [json.loads(line) for line in lines] == [
        {"Artist": "Björk", "Song": "Hunter", "Plays": 7, "Live": None},
        {"Artist": "Björk", "Song": "Jóga", "Plays": 1234, "Album": "Homogenic",
         "Meta": {"tags": ["a;b", "it's"], "raw": "AQID", "ok": True}}]


def test_typed_json_is_what_the_server_sent(shell, music):
    lines = shell.out("-o", "typed", "-e", bjork(music) + " AND Song = 'Hunter'").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"Artist": {"S": "Björk"}, "Song": {"S": "Hunter"}, "Plays": {"N": "7"}, "Live": {"NULL": True}}]


def test_columns_follow_the_projection(shell, music):
    assert shell.out("-e", f'SELECT Plays, Meta.ok, Song FROM "{music}" WHERE Artist = \'Björk\'').splitlines()[0].split(" | ") == [
        " Plays", "ok  ", "Song"]


def test_an_index(shell, music):
    assert "Jóga" in shell.out("-e", f'SELECT * FROM "{music}"."by-album" WHERE Album = \'Homogenic\'')


def test_several_statements_in_order(shell, make_table):
    name = make_table()
    text = shell.out("-e", f"INSERT INTO \"{name}\" VALUE {{'pk': 'a', 'n': 1}}; -- one; two",
                     "-e", f"UPDATE \"{name}\" SET n = n + 1 WHERE pk = 'a' RETURNING ALL NEW *",
                     "-e", f"DELETE FROM \"{name}\" WHERE pk = 'a'; SELECT * FROM \"{name}\" WHERE pk = 'a'")
    assert text == ("OK (1 write unit)\n pk | n\n----+---\n a  | 2\n(1 row, 1 write unit)\nOK (1 write unit)\n(0 rows, 0.5 read units)\n")


def test_a_script_from_the_standard_input(shell, make_table):
    name = make_table()
    text = shell.out(script=f"""
        -- a script; with comments
        INSERT INTO "{name}"
          VALUE {{'pk': 'a;b',
                  'text': 'two
lines; really'}};
        \\o json
        SELECT * FROM "{name}" /* all; of it */ WHERE pk = 'a;b'
        """)
    assert text == 'OK (1 write unit)\n{"pk":"a;b","text":"two\\nlines; really"}\n'


def test_an_error_ends_a_script(shell, make_table):
    name = make_table()
    done = shell.run(script=f"INSERT INTO \"{name}\" VALUE {{'pk': 'a'}};\n\nSELECT COUNT(*) FROM \"{name}\";\nDELETE FROM x;\n")
    assert done.returncode == 1
    assert done.stdout == "OK (1 write unit)\n"
    assert done.stderr == ("stdin:3: ValidationException: Unexpected path component at 1:8:5\n"
                           f"  SELECT COUNT(*) FROM \"{name}\"\n         ^^^^^\n")


def test_keep_going(shell, make_table):
    name = make_table()
    done = shell.run("--keep-going", script=f"\\nothing\nINSERT INTO \"{name}\" VALUE {{'pk': 'a'}};\n")
    assert (done.returncode, done.stdout) == (1, "OK (1 write unit)\n")
    assert done.stderr == "stdin:1: there is no command \\nothing (see \\help)\n"


def test_a_script_in_a_file(shell, music, tmp_path):
    script = tmp_path / "report.sql"
    script.write_text(f"\\o json\n{bjork(music)} AND Song = 'Hunter';\n")
    direct = shell.out("-f", str(script))
    assert json.loads(direct)["Song"] == "Hunter"
    assert shell.out("-e", f"\\i {script}") == direct


@pytest.mark.parametrize("statement, error", [
    ("SELECT * FROM no_such_table", "ResourceNotFoundException: Requested resource not found"),
    ("SLECT * FROM x", "ValidationException: Statement wasn't well formed, can't be processed: Expected data manipulation"),
])
def test_errors_name_their_type(shell, statement, error):
    done = shell.run("-e", statement)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"-e:1: {error}")


def test_timing_and_capacity(shell, music):
    text = shell.out("--timing", "-e", bjork(music) + ";", "-e", "\\timing off", "-e", bjork(music), "-e", "\\capacity off",
                     "-e", bjork(music))
    footers = [line for line in text.splitlines() if line.startswith("(")]
    assert re.fullmatch(r"\(2 rows, 0.5 read units, \d+\.\d ms\)", footers[0])
    assert footers[1:] == ["(2 rows, 0.5 read units)", "(2 rows)"]


def test_consistent_reads_cost_twice(shell, music):
    assert "(2 rows, 1 read unit)" in shell.out("--consistent", "-e", bjork(music))


def test_every_page_is_read(shell, db, make_table):
    # 1 MiB a page: three pages of 300 KiB items, and JSON that is whole.
    name = make_table("pk:S", "sk:N")
    for number in range(8):
        db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "p"}, "sk": {"N": str(number)}, "b": {"S": "x" * 300_000}}})
    lines = shell.out("-o", "json", "-e", f'SELECT sk FROM "{name}" WHERE pk = \'p\'').splitlines()
    assert [json.loads(line)["sk"] for line in lines] == list(range(8))
    assert "(8 rows, 293.5 read units)" in shell.out("-e", f'SELECT sk FROM "{name}" WHERE pk = \'p\'')


def test_list_and_describe(shell, music):
    assert re.search(rf"^ {music} +\| Artist, Song +\| by-album ", shell.out("-e", "\\d"), re.MULTILINE)
    text = shell.out("-e", f"\\d {music}")
    assert text.startswith(f"Table {music}: ACTIVE, on demand, ")
    assert " Artist    | string | partition key\n Song      | string | sort key\n Album     | string | by-album partition key\n" in text
    assert re.search(r"^ by-album \| global \| Album \| all ", text, re.MULTILINE)
    done = shell.run("-e", "\\d no-such-table")
    assert done.returncode == 1 and "ResourceNotFoundException" in done.stderr


def test_help(shell):
    assert "\\timing" in shell.out("-e", "\\help")
    done = subprocess.run([binary(), "shell", "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "--endpoint" in done.stdout


@pytest.mark.parametrize("arguments, text", [
    (["--endpoint", "localhost:8000"], "must be 'aws' or begin with http:// or https://"),
    (["--output", "xml"], "--output"),
    (["--profile", "nobody"], "there is no profile 'nobody'"),
    (["--endpoint", "aws", "--region", "eu-west-1"], "no credentials"),
])
def test_a_bad_command_line_is_one_clear_line(tmp_path, arguments, text):
    bare = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run([binary(), "shell", *arguments], env=bare, capture_output=True, text=True, input="", timeout=60)
    assert done.returncode == 2 and text in done.stderr


def test_no_server_is_one_clear_line(tmp_path):
    done = Shell("http://127.0.0.1:1", tmp_path).run("-e", "SELECT 1")
    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch(r"-e:1: .*127\.0\.0\.1.*\n", done.stderr)


# --- Any DynamoDB endpoint: https, a profile's credentials, a signature that holds.

class Recorder(http.server.BaseHTTPRequestHandler):
    """Answers every statement with one item and keeps the request."""

    requests = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.requests.append((dict(self.headers.items()), body))
        reply = json.dumps({"Items": [{"answer": {"N": "42"}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


@pytest.fixture
def https_server(tmp_path):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"],
                   cwd=tmp_path, check=True, capture_output=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    Recorder.requests = []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"https://localhost:{server.server_port}"
    server.shutdown()
    server.server_close()


def expected_signature(headers, body, url, secret, region):
    """What botocore would sign for the same headers at the same time."""
    request = botocore.awsrequest.AWSRequest(method="POST", url=url + "/", data=body)
    signed = re.search(r"SignedHeaders=([^,]+)", headers["Authorization"]).group(1).split(";")
    for name, value in headers.items():
        if name.lower() in signed:
            request.headers[name] = value
    request.context["timestamp"] = headers["X-Amz-Date"]
    auth = botocore.auth.SigV4Auth(botocore.credentials.Credentials("AKIDPROFILE", secret), "dynamodb", region)
    return auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)


def test_https_with_a_profile_and_a_valid_signature(https_server, tmp_path):
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").write_text(
        "[work]\naws_access_key_id = AKIDPROFILE\naws_secret_access_key = s3cr3t/+key\naws_session_token = tok/en==\n")
    (tmp_path / ".aws" / "config").write_text("[profile work]\nregion = eu-central-1\n")
    bare = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AWS_ACCESS_KEY_ID": "other", "AWS_SECRET_ACCESS_KEY": "other"}
    command = [binary(), "shell", "--endpoint", https_server, "--profile", "work", "-o", "json", "-e", "SELECT * FROM anything"]
    done = subprocess.run([*command, "--ca-file", str(tmp_path / "cert.pem")], env=bare, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, '{"answer":42}\n'), done
    headers, body = Recorder.requests[0]
    headers = {name.title(): value for name, value in headers.items()}
    assert json.loads(body)["Statement"] == "SELECT * FROM anything"
    assert headers["X-Amz-Target"] == "DynamoDB_20120810.ExecuteStatement"
    assert headers["X-Amz-Security-Token"] == "tok/en=="
    assert "Credential=AKIDPROFILE/" in headers["Authorization"] and "/eu-central-1/dynamodb/aws4_request" in headers["Authorization"]
    signature = re.search(r"Signature=([0-9a-f]+)", headers["Authorization"]).group(1)
    assert signature == expected_signature(headers, body, https_server, "s3cr3t/+key", "eu-central-1")
    # Without the certificate nothing is sent.
    done = subprocess.run(command, env=bare, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and len(Recorder.requests) == 1


# --- At a terminal.

def test_a_session_at_a_terminal(shell, music, tmp_path):
    with shell.terminal() as terminal:
        terminal.expect("armature> ")
        terminal.type("SEL\t")
        terminal.expect("SELECT ")
        terminal.type(f"* FROM {music[:-1]}\t")
        terminal.expect(f'{music[-1]}" ')  # the opening quote is inserted further left
        # A statement over two lines, with the names of its attributes, the sampled ones too.
        terminal.type("\nWHERE Arti\t")
        terminal.expect("...")
        terminal.expect("Artist ")
        terminal.type("= 'Björk' AND Pl\t")
        terminal.expect("Plays ")
        terminal.type("< 1000;\n")
        table = terminal.expect("(1 row, 0.5 read units)")
        assert " Björk  │ Hunter │ NULL │     7" in table and "───────┼───" in table
        assert "\x1b[2mNULL" in terminal.raw.decode()
        terminal.expect("armature> ")
        # Ctrl-C gives up a statement, not the shell.
        terminal.type("SELECT 'x")
        terminal.expect("SELECT 'x")
        terminal.type("\x03")
        terminal.expect("armature> ")
        terminal.type("\\timing\n")
        terminal.expect("timing is on")
        terminal.expect("armature> ")
        terminal.type("SELECT bad;\n")
        terminal.expect("error: ValidationException")
        terminal.expect("armature> ")
        terminal.type("\x04")
        assert terminal.end() == 0
    history = (tmp_path / ".local" / "state" / "armature" / "shell_history").read_text().splitlines()
    assert history == [f"SELECT * FROM \"{music}\" WHERE Artist = 'Björk' AND Plays < 1000;", "\\timing", "SELECT bad;"]
    # The next session has it: the arrow up goes back three entries.
    with shell.terminal() as terminal:
        terminal.expect("armature> ")
        terminal.type("\x1b[A")
        terminal.expect("SELECT bad;")
        terminal.type("\x1b[A")
        terminal.expect("\\timing")
        terminal.type("\x1b[A")
        terminal.expect("Plays < 1000;")
        terminal.type("\n")
        terminal.expect("(1 row, 0.5 read units)")
        terminal.expect("armature> ")
        terminal.type("\\q\n")
        assert terminal.end() == 0


def test_the_readme_shows_what_is_seen(tmp_path):
    readme = (ROOT / "README.md").read_text()
    command, _, *transcript = re.search(r"^```console\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL).group(1).splitlines()
    assert command == "$ build/release/armature shell"
    with Server() as fresh:
        script = "INSERT INTO Music VALUE {'Artist': 'Nina Simone', 'Song': 'Sinnerman', 'Plays': 2};\n" \
                 "INSERT INTO Music VALUE {'Artist': 'Miles Davis', 'Song': 'So What', 'Players': <<'Coltrane', 'Evans'>>};\n" \
                 "INSERT INTO Music VALUE {'Artist': 'Björk', 'Song': 'Jóga', 'Album': 'Homogenic', 'Plays': 1};\n"
        tables.create(RawClient(fresh.endpoint), "Artist:S", "Song:S", name="Music")
        shell = Shell(fresh.endpoint, tmp_path)
        shell.out(script=script)
        with shell.terminal(columns=120) as terminal:
            for line in transcript:
                prompt = re.match(r"armature> |      \.\.\. ", line)
                if prompt:
                    terminal.expect(prompt.group())
                    terminal.type(line[prompt.end():] + "\n")
                    terminal.expect(line[prompt.end():])
                else:
                    terminal.expect(f"\n{line}")
            terminal.expect("armature> ")
            terminal.type("\x04")
            assert terminal.end() == 0


def test_pages_at_a_terminal(shell, db, make_table):
    name = make_table("pk:S", "sk:N")
    for number in range(9):
        db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "p"}, "sk": {"N": str(number)}, "late": {"N": str(int(number > 3))}}})
    with shell.terminal("--page-size", "3") as terminal:
        terminal.expect("armature> ")
        terminal.type(f"SELECT sk FROM \"{name}\" WHERE pk = 'p';\n")
        first = terminal.expect("-- more")
        assert re.findall(r"^ +(\d)$", first, re.MULTILINE) == ["0", "1", "2"]
        terminal.type(" ")
        assert re.findall(r"^ +(\d)$", terminal.expect("-- more"), re.MULTILINE) == ["3", "4", "5"]
        terminal.type("q")
        terminal.expect("(6 rows, 1 read unit)")
        terminal.expect("armature> ")
        terminal.type(f"SELECT sk FROM \"{name}\" WHERE pk = 'p';\n")
        terminal.expect("-- more")
        terminal.type("a")
        terminal.expect("(9 rows, ")
        terminal.expect("armature> ")
        # A filter that leaves little lets the server fill its pages; the screen is filled all the same.
        terminal.type(f"SELECT sk FROM \"{name}\" WHERE pk = 'p' AND late = 1;\n")
        assert re.findall(r"^ +(\d)$", terminal.expect("-- more"), re.MULTILINE) == ["4", "5", "6"]
        terminal.type(" ")
        terminal.expect("(5 rows, ")
        terminal.expect("armature> ")
        terminal.type("\x04")
        assert terminal.end() == 0


def test_long_values_are_cut_to_the_terminal(shell, db, make_table):
    name = make_table()
    db.ok("PutItem", {"TableName": name, "Item": {"pk": {"S": "a"}, "text": {"S": "日本語" * 50}, "n": {"N": "1"}}})
    with shell.terminal(columns=40) as terminal:
        terminal.expect("armature> ")
        terminal.type(f"SELECT * FROM \"{name}\";\n")
        text = terminal.expect("(1 row")
        row = next(line for line in text.splitlines() if line.startswith(" a "))
        assert row.endswith("…")
        terminal.expect("armature> ")
        terminal.type("\\o vertical\n")
        terminal.expect("armature> ")
        terminal.type(f"SELECT * FROM \"{name}\";\n")
        assert terminal.expect("(1 row").count("日本語") >= 40  # wrapped, not cut: a few are broken between lines
        terminal.expect("armature> ")
        terminal.type("\x04")
        assert terminal.end() == 0
