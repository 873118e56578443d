"""The chart renders, by Helm itself, to what Kubernetes takes; without a database to nothing."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest
import yaml
from container import DEPLOY, image

from milepost import __version__
from milepost.config import SECRETS, Settings, load_settings
from milepost.surfaces.http.access import PROBES

CHART = DEPLOY / "helm" / "milepost"
GIVEN = {"database": {"secret": "milepost-database"}, "server": {"secret": "milepost-key"}}
EVERYTHING = {
    **GIVEN,
    "image": {"digest": f"sha256:{'0' * 64}", "pullSecrets": [{"name": "registry"}]},
    "settings": {"embedder": "openai#text-embedding-3-small", "undo_days": 7},
    "secretSettings": {"embedder_keys": {"secret": "openai", "key": "token"}},
    "autoscaling": {"enabled": False},
    "replicas": 3,
    "networkPolicy": {
        "database": [{"ipBlock": {"cidr": "10.0.0.0/8"}}],
        "egress": [{"ports": [{"port": 443, "protocol": "TCP"}]}],
    },
    "podAnnotations": {"prometheus.io/scrape": "true"},
    "nodeSelector": {"disk": "fast"},
    "tolerations": [{"key": "memory", "operator": "Exists"}],
    "affinity": {"podAntiAffinity": {}},
}
VERSIONS = ("1.28.0", "1.31.0", "1.34.0", "1.37.0")

pytestmark = pytest.mark.slow
Values = dict[str, Any]


def rendered(values: Values) -> dict[str, Values]:
    """Render the chart, by the helm of this machine or by the library, and return it by kind."""
    if shutil.which("helm") is not None:
        command = ["helm", "template", "team", str(CHART), "--values", "-"]
        done = subprocess.run(
            command, input=yaml.safe_dump(values), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise ValueError(done.stderr)
        texts = [done.stdout]
    else:
        helm = pytest.importorskip("helm_python", reason="there is no helm here, nor its library")
        with helm.Chart.load(CHART) as chart:
            try:
                chart.validate_schema(values)
                texts = [
                    text
                    for name, text in chart.render(values, name="team").items()
                    if name.endswith(".yaml")
                ]
            except helm.HelmError as problem:
                raise ValueError(str(problem)) from problem
    found = [one for text in texts for one in yaml.safe_load_all(text) if one]
    kinds = {one["kind"]: one for one in found}
    assert len(kinds) == len(found)
    return kinds


@pytest.mark.parametrize("values", [GIVEN, EVERYTHING], ids=["least", "everything"])
@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_takes_what_is_rendered(values: Values, version: str) -> None:
    kubernetes = pytest.importorskip("kubernetes_validate")

    for one in rendered(values).values():
        kubernetes.validate(one, version, strict=True)


def test_helm_lint_finds_nothing() -> None:
    helm = pytest.importorskip("helm_python", reason="there is no library of helm here")

    for values in (GIVEN, EVERYTHING):
        told = helm.lint(CHART, values, strict=True)
        assert told["errors"] == []
        assert [m for m in told["messages"] if m["severity"] > 1] == []


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "database.secret is missing"),
        ({"server": GIVEN["server"]}, "database.secret is missing"),
        ({"database": GIVEN["database"]}, "server.secret is missing"),
        (GIVEN | {"settings": {"url": "/tmp/m.db"}}, "url"),
        (GIVEN | {"settings": {"key": "hush"}}, "key"),
        (GIVEN | {"database": {"secret": "a", "url": "postgresql://x"}}, "url"),
        (GIVEN | {"replicaCount": 3}, "replicaCount"),
    ],
)
def test_nothing_is_rendered_without_a_database_or_with_what_the_chart_does_not_know(
    values: Values, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        rendered(values)


def pods() -> dict[str, Values]:
    kinds = rendered(GIVEN | {"settings": {"undo_days": 7}})
    return {kind: kinds[kind]["spec"]["template"]["spec"] for kind in ("Deployment", "Job")}


def test_every_pod_is_confined() -> None:
    for pod in pods().values():
        (container,) = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert f"{pod['securityContext']['runAsUser']}" == image().user.partition(":")[0]
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert pod["automountServiceAccountToken"] is False
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert "memory" in container["resources"]["limits"]


def test_no_volume_of_a_pod_could_be_taken_for_where_memories_are_kept() -> None:
    for pod in pods().values():
        mounts = {mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]}
        assert mounts == {"/run/secrets/milepost", "/tmp", "/var/cache/milepost"}


def test_pods_read_their_secrets_from_the_files_that_are_mounted() -> None:
    kinds = rendered(EVERYTHING)
    pod = kinds["Deployment"]["spec"]["template"]["spec"]
    env = {one["name"]: one["value"] for one in pod["containers"][0]["env"]}
    (secrets,) = [volume for volume in pod["volumes"] if volume["name"] == "secrets"]
    files = {
        f"/run/secrets/milepost/{item['path']}"
        for source in secrets["projected"]["sources"]
        for item in source["secret"]["items"]
    }

    assert {value for name, value in env.items() if name.endswith("_FILE")} == files
    named = {name.removeprefix("MILEPOST_").removesuffix("_FILE").lower() for name in env}
    assert named <= set(Settings._fields)
    assert {name for name in named if f"MILEPOST_{name.upper()}_FILE" in env} <= SECRETS | {"url"}
    assert (
        load_settings(environment={"MILEPOST_UNDO_DAYS": env["MILEPOST_UNDO_DAYS"]}).undo_days == 7
    )


def test_probes_ask_what_the_server_answers_without_a_key() -> None:
    (server,) = pods()["Deployment"]["containers"]
    asked = {
        name: server[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")
    }

    assert {probe["path"] for probe in asked.values()} <= PROBES
    # A database that is away must not have servers started again.
    assert asked["liveness"]["path"] == "/healthz"
    assert asked["readiness"]["path"] == "/readyz"
    (port,) = server["ports"]
    assert f"{port['containerPort']}" == image().env["MILEPOST_PORT"]


def test_the_migration_comes_before_the_servers() -> None:
    job = rendered(GIVEN)["Job"]

    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    assert job["spec"]["template"]["spec"]["containers"][0]["args"] == ["migrate"]
    assert rendered(GIVEN)["Deployment"]["spec"]["template"]["spec"]["containers"][0]["args"] == (
        image().command
    )


def test_servers_are_found_by_the_service_the_budget_and_the_policy() -> None:
    kinds = rendered(GIVEN)
    labels = kinds["Deployment"]["spec"]["template"]["metadata"]["labels"].items()
    migrating = kinds["Job"]["spec"]["template"]["metadata"]["labels"].items()
    service = kinds["Service"]["spec"]["selector"].items()
    budget = kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"].items()
    policy = kinds["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"].items()

    assert service <= labels
    assert budget <= labels
    assert policy <= labels
    assert policy <= migrating
    assert not service <= migrating
    assert (
        kinds["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"]
        == (kinds["Deployment"]["metadata"]["name"])
    )
    assert "replicas" not in kinds["Deployment"]["spec"]
    assert rendered(EVERYTHING)["Deployment"]["spec"]["replicas"] == 3
    assert "HorizontalPodAutoscaler" not in rendered(EVERYTHING)


def test_the_chart_is_of_this_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())

    assert chart["appVersion"] == __version__
