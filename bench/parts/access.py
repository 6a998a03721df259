"""What it costs to know who asks, and whether he may: GetItem with verified signatures and a policy, beside GetItem with neither."""

import json
import statistics
import sys

import servers
from measure import FIXED_BODY

# CPU per request: of what it costs without principals, and of nginx's.
BAR_OF_NEITHER = 1.25
BAR_OF_NGINX = 1.8
# A denial: of what an answer costs under the same policy.
BAR_OF_DENIAL = 1.0

KEY_ID, SECRET = "AKIABENCHBENCHBENCHB", "benchbenchbenchbenchbenchbenchbenchbench"
SIGNED = {"AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET}
STRANGER_ID, STRANGER_SECRET = "AKIABENCHBENCHSTRANG", "strangestrangestrangestrangestrangestran"
SIGNED_BY_STRANGER = {"AWS_ACCESS_KEY_ID": STRANGER_ID, "AWS_SECRET_ACCESS_KEY": STRANGER_SECRET}


def policy(readable="user*"):
    """Five statements, of which the last allows a read, of keys that begin as all keys of the driver do unless told."""
    def statement(effect, actions, **more):
        return {"Effect": effect, "Action": actions, "Resource": "arn:aws:dynamodb:*:*:table/armature-bench*", **more}

    keys = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [readable]}, "Null": {"dynamodb:LeadingKeys": "false"}}
    return {"Version": "2012-10-17", "Statement": [
        statement("Deny", ["dynamodb:DeleteItem", "dynamodb:PartiQLDelete"]),
        statement("Deny", "dynamodb:*Backup"),
        statement("Allow", ["dynamodb:CreateTable", "dynamodb:DescribeTable", "dynamodb:DeleteTable"]),
        statement("Allow", ["dynamodb:Scan", "dynamodb:BatchWriteItem", "dynamodb:PutItem"]),
        statement("Allow", ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:BatchGetItem"], Condition=keys)]}


def write_principals(path):
    def user(name, key, secret, document):
        return (f'[[users]]\nname = "{name}"\naccess_keys = [{{ id = "{key}", secret = "{secret}" }}]\n'
                f"[users.inline_policies]\nown = '{json.dumps(document)}'\n")

    path.write_text(user("bench", KEY_ID, SECRET, policy()) +
                    user("stranger", STRANGER_ID, STRANGER_SECRET, policy("somebody-else*")))
    return path


def measure(run):
    rounds = []
    principals = write_principals(run.directory("principals") / "iam.toml")
    with servers.Nginx(run.directory("nginx-access"), FIXED_BODY) as nginx, run.armature("open") as open_server, \
            run.armature("guarded", ["--iam-file", str(principals)]) as guarded:
        for number in range(run.options.rounds):
            print(f"  round {number + 1} of {run.options.rounds}", file=sys.stderr)
            rounds.append(one_round(run, nginx, open_server, guarded))

    def median(key):
        return statistics.median(r[key] for r in rounds)

    def ratio(key, reference):
        return statistics.median(r[key] / r[reference] for r in rounds)

    add = run.table.add
    add("GetItem, neither verified nor authorised", median("open"), "µs")
    what = "GetItem, verified, policy of five: CPU per request"
    add(what, median("guarded"), "µs", f"with neither {median('open'):.2f} µs", ratio("guarded", "open"), BAR_OF_NEITHER)
    add(what, median("guarded"), "µs", f"nginx {median('nginx'):.2f} µs", ratio("guarded", "nginx"), BAR_OF_NGINX)
    add("GetItem, denied by a policy of five", median("denied"), "µs", f"allowed {median('guarded'):.2f} µs", ratio("denied", "guarded"),
        BAR_OF_DENIAL)


def one_round(run, nginx, open_server, guarded):
    def cpu(server, workload, **how):
        return run.drive(server, workload, **how)["server_cpu_us_per_request"]

    return {
        "nginx": cpu(nginx, "fixed", extra=["--expect", str(run.expect)]),
        "open": cpu(open_server, "get", environment=SIGNED),
        "guarded": cpu(guarded, "get", environment=SIGNED),
        "denied": cpu(guarded, "get-denied", environment=SIGNED_BY_STRANGER),
    }
