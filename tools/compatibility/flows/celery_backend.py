"""Celery's result backend for DynamoDB: makes its table, keeps, reads, expires and forgets results."""

import os
import sys
from urllib.parse import urlsplit

from celery import Celery, states

where = urlsplit(os.environ["ARMATURE_ENDPOINT"])
app = Celery("flow", broker="memory://", backend=f"dynamodb://fakeMyKeyId:fakeSecret@localhost:{where.port}/celery?ttl_seconds=3600")
app.conf.update(result_serializer="json")


@app.task
def add(a, b):
    return a + b


def step(name, condition):
    if not condition:
        sys.exit(f"not ok {name}")
    print(f"ok {name}", flush=True)


backend = app.backend
step("create table", backend.client.describe_table(TableName="celery")["Table"]["TableStatus"] == "ACTIVE")
step("time to live", backend.client.describe_time_to_live(TableName="celery")["TimeToLiveDescription"]["TimeToLiveStatus"] in ("ENABLED", "ENABLING"))
backend.store_result("one", {"sum": 3}, states.SUCCESS)
step("put", True)
step("get", app.AsyncResult("one").get(timeout=10) == {"sum": 3} and app.AsyncResult("nobody").state == states.PENDING)
backend.store_result("one", {"sum": 4}, states.SUCCESS)
backend.store_result("two", ValueError("no"), states.FAILURE)
step("update", app.AsyncResult("two").state == states.FAILURE)
app.AsyncResult("one").forget()
step("delete", app.AsyncResult("one").state == states.PENDING)
