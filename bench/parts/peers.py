"""Other DynamoDB servers, from npm."""

import functools
import pathlib
import statistics
import sys

import servers
from servers import NotAvailable


def measure(run):
    bars = {("dynoxide", False, "get"): 5, ("dynoxide", True, "put"): 10, ("extenddb", True, "put"): 20,
            ("dynamodb-local", True, "put"): 100}
    modules = pathlib.Path(run.options.peers_dir) / "node_modules"
    unsynced = functools.partial(run.armature, "unsynced", ["--durability", "interval"])
    for kind in servers.PEERS:
        for on_disk in (False, True):
            name = f"{kind.name} {'on disk' if on_disk else 'in memory'}"
            print(f"  {name}", file=sys.stderr)
            start = functools.partial(kind, modules=modules, on_disk=on_disk)
            try:
                for workload in ("get", "put"):
                    one_peer(run, run.armature, start, name, workload, bars.get((kind.name, on_disk, workload)))
                if on_disk and not kind.syncs_writes:
                    one_peer(run, unsynced, start, f"{name}, neither syncing", "put", None)
                if on_disk and kind.settling:
                    one_peer(run, run.armature, start, f"{name}, after {kind.settling}", "put", None, kind.settling)
            except (NotAvailable, RuntimeError) as error:
                run.table.not_available(name, error)


def one_peer(run, start_ours, start_theirs, name, workload, bar, settling=None):
    """Medians of a few rounds, ours and theirs in turn; ratio is how many times more theirs costs.

    Every round starts both anew: that is how tests meet them, and no order of measuring favours one.
    """
    rounds = []
    for _ in range(run.options.rounds):
        with start_ours() as armature:
            ours = run.drive(armature, workload)
        with start_theirs(run.directory("peer")) as peer:
            if settling:
                run.drive(peer, workload, items=1000, duration=settling)
            theirs = run.drive(peer, workload, items=1000)
        rounds.append((ours["server_cpu_us_per_request"], theirs["server_cpu_us_per_request"]))
    operation = {"get": "GetItem", "put": "PutItem"}[workload]
    mine = statistics.median(r[0] for r in rounds)
    run.table.add(f"{operation}: CPU of {name}", statistics.median(r[1] for r in rounds), "µs",
                  f"armature {mine:.2f} µs", statistics.median(r[1] / r[0] for r in rounds), bar, at_least=True)
