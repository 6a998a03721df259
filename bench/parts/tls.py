"""What HTTPS adds to a GetItem, beside what it adds to nginx: same certificate, same cipher, kept connections."""

import statistics
import subprocess
import sys

import servers
from measure import FIXED_BODY

# What TLS adds to us, as a multiple of what it adds to nginx: no more, and no allowance for noise, which it does not
# need by far (bench/README.md).
BAR = 1.0


def measure(run):
    """Both servers serve both ways at once, so that a round compares four figures of the same minute."""
    certificate = run.directory("tls-certificate")
    subprocess.run([run.options.armature, "tls", "self-signed", "--out", str(certificate), "--force"], check=True, capture_output=True)
    files = servers.TlsFiles(certificate / "cert.pem", certificate / "key.pem")
    rounds = []
    with servers.Nginx(run.directory("nginx-tls"), FIXED_BODY, files) as nginx:
        port = servers.free_port()
        flags = ["--tls-cert", str(files.certificate), "--tls-key", str(files.key), "--tls-port", str(port)]
        with run.armature("armature-tls", flags) as armature:
            armature.tls_port = port
            for number in range(run.options.rounds):
                print(f"  round {number + 1} of {run.options.rounds}", file=sys.stderr)
                rounds.append(one_round(run, nginx, armature, files))

    def median(of):
        return statistics.median(of(r) for r in rounds)

    nginx_adds, we_add = (lambda r: r["nginx_tls"] - r["nginx"]), (lambda r: r["get_tls"] - r["get"])
    add = run.table.add
    add("nginx, fixed body: CPU per request", median(lambda r: r["nginx"]), "µs")
    add("nginx, fixed body by TLS: CPU per request", median(lambda r: r["nginx_tls"]), "µs")
    add("GetItem: CPU per request", median(lambda r: r["get"]), "µs")
    add("GetItem by TLS: CPU per request", median(lambda r: r["get_tls"]), "µs", f"nginx by TLS {median(lambda r: r['nginx_tls']):.2f} µs",
        median(lambda r: r["get_tls"] / r["nginx_tls"]))
    add("what TLS adds to a GetItem: CPU per request", median(we_add), "µs", f"to nginx {median(nginx_adds):.2f} µs",
        median(lambda r: we_add(r) / nginx_adds(r)), BAR)


def one_round(run, nginx, armature, files):
    def cpu(server, workload, *extra):
        return run.drive(server, workload, extra=extra)["server_cpu_us_per_request"]

    fixed = ["--expect", str(run.expect)]
    trust = ["--ca-file", str(files.certificate)]
    return {
        "nginx": cpu(nginx, "fixed", *fixed),
        "nginx_tls": cpu(servers.ByTls(nginx), "fixed", *fixed, *trust),
        "get": cpu(armature, "get"),
        "get_tls": cpu(servers.ByTls(armature), "get", *trust),
    }
