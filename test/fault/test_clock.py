"""A machine whose clock stands before 1970, as one without a battery may start."""

import os
import subprocess

import pytest

from harness import tables
from harness.server import Server

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long shift(void) { const char* text = getenv("CLOCK_SHIFT"); return text ? atol(text) : 0; }
int clock_gettime(clockid_t id, struct timespec* t) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(id, t);
  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) t->tv_sec += shift();
  return result;
}
int gettimeofday(struct timeval* t, void* zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}
time_t time(time_t* t) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (t) *t = now.tv_sec;
  return now.tv_sec;
}
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clock")
    (folder / "shim.c").write_text(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "shim.so", folder / "shim.c", "-ldl"], check=True)
    return folder / "shim.so"


@pytest.mark.parametrize("years", [60, 200])
def test_a_clock_before_1970(data, client_of, shim, monkeypatch, years):
    monkeypatch.setenv("LD_PRELOAD", str(shim))
    # A sanitizer's runtime wants to be the first library; behind one that only moves the clock it works as well.
    monkeypatch.setenv("ASAN_OPTIONS", f"{os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0")
    monkeypatch.setenv("CLOCK_SHIFT", str(-years * 365 * 86400))
    with Server(data) as server:
        client = client_of(server)
        client.ok("CreateTable", tables.definition("Tbl", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}))
        client.ok("UpdateTimeToLive", {"TableName": "Tbl", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "e"}})
        for number in range(5):
            client.ok("PutItem", {"TableName": "Tbl", "Item": {"pk": {"S": str(number)}, "e": {"N": "100"}}})
        client.ok("TransactWriteItems", {"ClientRequestToken": "token", "TransactItems": [
            {"Put": {"TableName": "Tbl", "Item": {"pk": {"S": "t"}}}}]})
        assert client.ok("Scan", {"TableName": "Tbl"})["Count"] == 6
        server.kill()
        # And again, and then in the present.
        server.start()
        client = client_of(server)
        assert client.ok("Scan", {"TableName": "Tbl"})["Count"] == 6
        server.kill()
        monkeypatch.setenv("CLOCK_SHIFT", "0")
        server.start()
        client = client_of(server)
        assert client.ok("GetItem", {"TableName": "Tbl", "Key": {"pk": {"S": "t"}}})["Item"]
        client.ok("DeleteTable", {"TableName": "Tbl"})
