"""What tests with boto3 share: refusals, page loops, races, and reads that may be stale at AWS."""

import contextlib
import os
import threading
import time

import pytest
from botocore.exceptions import ClientError

CANCELLED = "TransactionCanceledException"
CONDITION_FAILED = "ConditionalCheckFailedException"
INVALID = "ValidationException"


class Refusal:
    """The members of an error, once the block under `refused` has raised it."""

    response = None

    @property
    def message(self):
        return self.response["Error"]["Message"]

    @property
    def item(self):
        return self.response.get("Item")

    @property
    def codes(self):
        return [reason["Code"] for reason in self.response["CancellationReasons"]]

    @property
    def reasons(self):
        return self.response["CancellationReasons"]


@contextlib.contextmanager
def refused(code, message=None):
    """The block must fail with exactly this error and, if given, exactly this text."""
    refusal = Refusal()
    with pytest.raises(ClientError) as caught:
        yield refusal
    refusal.response = caught.value.response
    assert refusal.response["Error"]["Code"] == code, refusal.response["Error"]
    if message is not None:
        assert refusal.message == message


def code_of(error):
    return error.response["Error"]["Code"]


def is_conflict(error):
    """Whether a write lost against a transaction under way, which a client is expected to retry."""
    if code_of(error) == CANCELLED:
        codes = {reason["Code"] for reason in error.response["CancellationReasons"]}
        return "TransactionConflict" in codes and codes <= {"None", "TransactionConflict"}
    return code_of(error) in ("TransactionConflictException", "TransactionInProgressException")


def insist(call):
    """Calls until it does not conflict; any other error is the caller's."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return call()
        except ClientError as error:
            if not is_conflict(error) or time.monotonic() > deadline:
                raise


def pages(operation, **request):
    """Every page of a Query or Scan, following LastEvaluatedKey as the guide says."""
    while True:
        page = operation(**request)
        yield page
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def all_items(operation, **request):
    return [item for page in pages(operation, **request) for item in page["Items"]]


def settle(read, expected):
    """Asserts what an index read gives. At AWS indexes follow a little later, so there it may take a few tries."""
    deadline = time.monotonic() + (30 if os.environ.get("ARMATURE_ENDPOINT") else 0)
    while True:
        found = read()
        if found == expected or time.monotonic() >= deadline:
            assert found == expected
            return
        time.sleep(0.1)


def race(workers, work):
    """Runs work(0) … work(workers - 1) at the same moment on threads; returns their results in that order."""
    start = threading.Barrier(workers)
    results, errors = [None] * workers, []

    def run(number):
        try:
            start.wait()
            results[number] = work(number)
        except BaseException as error:  # noqa: B902 - a thread's failure belongs to the test
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
