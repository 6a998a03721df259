"""Items out of a DAX node's cache, by the native protocol, beside GetItem over HTTP and nginx's fixed reply."""

import statistics
import sys

import servers
from measure import FIXED_BODY

CACHE_MIB = 256
POLL_MICROS = 100
# Of a million items of 200 bytes, in memory by DynamoDB's count of their bytes.
MANY, ITEM_BYTES = 1_000_000, 200


def measure(run):
    rounds = []
    port, second = servers.free_port(), servers.free_port()
    with servers.Nginx(run.directory("nginx-dax"), FIXED_BODY) as nginx, \
            run.armature("armature-dax", ["--dax-port", str(port), "--dax-cache-mib", str(CACHE_MIB)]) as armature:
        node = ["--dax", f"dax://127.0.0.1:{port}"]
        run.drive(armature, "get", extra=node)  # from here on every item is cached
        for number in range(run.options.rounds):
            print(f"  round {number + 1} of {run.options.rounds}", file=sys.stderr)
            rounds.append(one_round(run, nginx, armature, node))
    polling = p50_of_polling(run, second)
    entry, growth = memory(run, second)

    def median(key):
        return statistics.median(r[key] for r in rounds)

    def ratio(key, reference):
        return statistics.median(r[key] / r[reference] for r in rounds)

    add = run.table.add
    add("DAX, item from the cache: CPU per request", median("hit"), "µs", f"nginx {median('nginx'):.2f} µs", ratio("hit", "nginx"), 1.0)
    add("DAX, item from the cache: requests per CPU", 1e6 / median("hit"), "/s", f"GetItem {1e6 / median('get'):,.0f} /s", ratio("get", "hit"), 2.0,
        at_least=True)
    add("DAX, item from the cache: p50, 1 connection", median("p50"), "µs", bar=50)
    add(f"DAX, the same with --dax-busy-poll-micros {POLL_MICROS}", polling, "µs", bar=50)
    add("DAX, PutItem: CPU per request", median("put"), "µs", f"PutItem {median('plain_put'):.2f} µs", ratio("put", "plain_put"))
    add("DAX, a million items of 200 B: memory of one", entry, "B", "their bytes", entry / ITEM_BYTES, 1.3)
    add("DAX, cache full of them: the node's memory", growth, "MiB", f"bound {CACHE_MIB} MiB", growth / CACHE_MIB, 1.2)


def one_round(run, nginx, armature, node):
    def cpu(server, workload, *extra):
        return run.drive(server, workload, extra=extra)["server_cpu_us_per_request"]

    return {
        "nginx": cpu(nginx, "fixed", "--expect", str(run.expect)),
        "get": cpu(armature, "get"),
        "hit": cpu(armature, "get", *node),
        "p50": run.drive(armature, "get", connections=1, extra=node)["latency_us"]["p50"],
        "plain_put": cpu(armature, "put"),
        "put": cpu(armature, "put", *node),
    }


def p50_of_polling(run, port):
    """With a node whose threads look for the next request before they sleep."""
    flags = ["--dax-port", str(port), "--dax-busy-poll-micros", str(POLL_MICROS)]
    with run.armature("armature-dax-polling", flags) as armature:
        node = ["--dax", f"dax://127.0.0.1:{port}"]
        run.drive(armature, "get", extra=node)
        return statistics.median(run.drive(armature, "get", connections=1, extra=node)["latency_us"]["p50"] for _ in range(run.options.rounds))


def memory(run, port):
    """What an entry takes when a million items are written through, and by how much the process grows at the most."""
    flags = ["--dax-port", str(port), "--dax-cache-mib", str(CACHE_MIB), "--cache-mib", "8"]
    with run.armature("armature-dax-memory", flags) as armature:
        node = ["--dax", f"dax://127.0.0.1:{port}"]
        run.drive(armature, "get", items=MANY)  # they are made; none of them passes the node
        before = servers.rss_bytes(armature.pid) / 2**20
        run.drive(armature, "put", items=MANY, warmup="0s", extra=[*node, "--requests", str(3 * MANY)])
        after, metrics = servers.rss_bytes(armature.pid) / 2**20, armature.metrics()
        total = {name: sum(value for key, value in metrics.items() if key.startswith(name)) for name in
                 ("armature_dax_cache_memory_bytes", "armature_dax_cache_entries")}
        return total["armature_dax_cache_memory_bytes"] / total["armature_dax_cache_entries"], after - before
