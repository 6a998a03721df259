"""GET /metrics: our own, for Prometheus; AWS has no such thing."""

import re


def values(db):
    reply = db.send("GET", "/metrics")
    assert reply.status == 200
    assert reply.headers["Content-Type"].startswith("text/plain")
    lines = [line for line in reply.plain().decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_requests_are_counted_by_operation(db, hash_table, pk):
    def puts():
        return sum(value for name, value in values(db).items() if re.match(r"armature_requests_total.*\"PutItem\"", name))
    before = puts()
    for _ in range(3):
        db.ok("PutItem", {"TableName": hash_table, "Item": {"pk": pk}})
    assert puts() == before + 3
