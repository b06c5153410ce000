"""TLS, passwords and certificates, against a real broker whose certificates are self-made."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)
from conftest import Broker
from readings import BOUNDS, BUDGET, LOUD, ok, rows

ARGUMENTS = [*BUDGET, *BOUNDS, "--rows", "300", "--every", "50"]


class Secure:
    """A broker with TLS, and a topic that those who log in may read. They are let into no group."""

    def __init__(self, folder: Path) -> None:
        self.broker = Broker(folder, secure=True)
        self.tls = folder / "tls"
        self.passwords = dict(line.split() for line in (folder / "logins").read_text().splitlines())
        self._ports = {name: (folder / f"{name}-port").read_text().strip() for name in ("sasl", "tls")}
        self.values = rows(300)
        self.topic = self.broker.topic()
        self.other = self.broker.topic()
        self.broker.write(self.topic, self.values)
        for who in ("scram", "plain", "holder"):
            may_read = AclBinding(
                ResourceType.TOPIC,
                self.topic,
                ResourcePatternType.LITERAL,
                f"User:{who}",
                "*",
                AclOperation.READ,
                AclPermissionType.ALLOW,
            )
            self.broker.admin.create_acls([may_read])[may_read].result(30)

    def url(self, way: str, topic: str = "") -> str:
        return f"kafka://127.0.0.1:{self._ports[way]}/{topic or self.topic}"

    def login(self, mechanism: str, user: str, password: str = "") -> list[str]:
        return [
            "security.protocol=sasl_ssl",
            f"ssl.ca.location={self.tls}/authority.pem",
            f"sasl.mechanisms={mechanism}",
            f"sasl.username={user}",
            f"sasl.password={password or self.passwords[user]}",
        ]


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secure]:
    made = Secure(tmp_path_factory.mktemp("secure"))
    yield made
    made.broker.stop()


def options(jme, lines: list[str], name: str = "options") -> list[str]:
    path = jme.file(name, lines)
    Path(path).chmod(0o600)
    return ["--kafka-options", path]


def of_the_file(jme, secure: Secure) -> str:
    return ok(jme.run(jme.file("rows.ndjson", secure.values), *ARGUMENTS)).releases


def test_a_password_over_tls_reads_the_topic_and_is_written_nowhere(secure, jme, tmp_path):
    login = options(jme, secure.login("PLAIN", "plain"))
    secret = secure.passwords["plain"].encode()
    found = ok(jme.run(secure.url("sasl"), *ARGUMENTS, *login, "--state", jme.state()))
    assert found.releases == of_the_file(jme, secure)
    texts = [
        jme.run(secure.url("sasl"), *ARGUMENTS, *login, *asked).out for asked in (["--dry-run"], ["--print-config"])
    ]
    assert all("epsilon" in text for text in texts)
    live = jme.start(secure.url("sasl"), *LOUD, "--steps", "100", *login, "--state", jme.state("live"))
    live.wait_for_releases(1)
    process = Path(f"/proc/{live.process.pid}")
    seen = [(process / name).read_bytes() for name in ("cmdline", "environ", "comm")]
    live.kill(signal.SIGINT)
    stopped = live.result()
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "options"]
    assert len(files) >= 6  # two states of three files and what was printed
    for text in [*seen, *(path.read_bytes() for path in files), *(text.encode() for text in texts), found.err.encode()]:
        assert secret not in text
    assert secret.decode() not in stopped.out + stopped.err
    assert "sasl" not in "".join(texts) + stopped.out


def test_a_certificate_reads_the_topic(secure, jme):
    names = [
        "security.protocol=ssl",
        f"ssl.ca.location={secure.tls}/authority.pem",
        f"ssl.certificate.location={secure.tls}/holder.pem",
        f"ssl.key.location={secure.tls}/holder.key",
    ]
    arguments = [part for name in names for part in ("--kafka-option", name)]  # paths are no secrets
    assert ok(jme.run(secure.url("tls"), *ARGUMENTS, *arguments)).releases == of_the_file(jme, secure)


def test_scram_reads_the_topic_with_a_librdkafka_that_repeats_the_nonce_rightly(secure, jme):
    # Debian's 2.0.2 does not, and brokers from 4.0 on refuse it. The one of the Python package does.
    files = distribution("confluent-kafka").files or []
    newer = [str(file.locate()) for file in files if file.name.startswith("librdkafka-")]
    assert len(newer) == 1
    login = options(jme, secure.login("SCRAM-SHA-512", "scram"))
    expected = of_the_file(jme, secure)
    jme.environment["LD_PRELOAD"] = newer[0]
    assert ok(jme.run(secure.url("sasl"), *ARGUMENTS, *login)).releases == expected


def test_logins_that_are_refused_end_the_run_and_show_no_password(secure, jme):
    good = secure.login("PLAIN", "plain")
    without_authority = [line for line in good if not line.startswith("ssl.ca")]
    for lines, topic, code, text in [
        (secure.login("PLAIN", "plain", "hunter2"), "", 1, "refuses us"),
        (secure.login("SCRAM-SHA-512", "scram", "hunter2"), "", 1, "refuses us"),
        (without_authority, "", 1, "certificate verify failed"),
        ([*good, f"ssl.ca.location={secure.tls}/nowhere.pem"], "", 2, "ssl.ca.location failed"),
        (good, secure.other, 1, "does not let us read it"),
    ]:
        result = jme.run(secure.url("sasl", topic), *ARGUMENTS, *options(jme, lines))
        assert result.code == code, result.err
        assert text in result.err and result.out == ""
        assert "hunter2" not in result.err and secure.passwords["plain"] not in result.err


def test_a_certificate_for_another_host_is_refused(secure, jme):
    login = options(jme, secure.login("PLAIN", "plain"))
    result = jme.run(secure.url("sasl").replace("127.0.0.1", "localhost"), *ARGUMENTS, *login)
    assert result.code == 1 and "refuses us" in result.err, result.err
