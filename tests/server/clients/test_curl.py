"""curl: the ordering agent's API and the views, as anybody tries them by hand."""

import json
import shutil
import subprocess
from typing import Any

import pytest

from tests.server.clients.conftest import BRAND, DRIVE
from tests.service.service_fixture import RIDERS

CURL = shutil.which("curl")
LOCATION = "projects/acme/locations/us"
pytestmark = pytest.mark.skipif(CURL is None, reason="needs curl; run .ci/package curl curl")


def curl(address: str, method: str, path: str, body: Any = None) -> Any:
    """What curl prints, as JSON."""
    data = [] if body is None else ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
    command = [str(CURL), "-s", "-X", method, *data, f"{address}/v1/{path}"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=30).stdout)


def test_a_config_is_created_changed_promoted_and_deleted(specification_server: str) -> None:
    body = {"displayName": "Kiosk", "type": "AGENT_CUSTOMIZATION"}
    created = curl(specification_server, "POST", f"{BRAND}/channelConfigs?channelConfigId=kiosk", body)
    name = f"{BRAND}/channelConfigs/kiosk"
    assert (created["name"], created["state"]) == (name, "DRAFT")
    body = {"displayName": "Kiosks", "type": "UPSELL_STRATEGY"}
    changed = curl(specification_server, "PATCH", f"{name}?updateMask=display_name", body)
    assert (changed["displayName"], changed["type"]) == ("Kiosks", "AGENT_CUSTOMIZATION")
    tacos = {"destination_brand": f"{LOCATION}/brands/tacos"}
    promoted = curl(specification_server, "POST", f"{name}:promote", tacos)
    assert promoted["channelConfig"]["state"] == "PROMOTED"
    assert promoted["channelConfigCopy"]["name"] == f"{LOCATION}/brands/tacos/channelConfigs/kiosk"
    listed = curl(specification_server, "GET", f"{BRAND}/channelConfigs?pageSize=1&orderBy=display_name")
    assert (listed["channelConfigs"][0]["displayName"], bool(listed["nextPageToken"])) == ("Drive-through", True)
    assert curl(specification_server, "DELETE", name) == {}
    assert curl(specification_server, "GET", name)["error"]["details"][0]["reason"] == "unknown-channel-config"


def test_brands_stores_and_menus_are_read_as_documents_have_them(specification_server: str) -> None:
    assert curl(specification_server, "GET", BRAND)["defaults"] == [DRIVE]
    brands = curl(specification_server, "GET", f"{LOCATION}/brands")["brands"]
    assert [brand["displayName"] for brand in brands] == ["Smash", "Tacos"]
    assert curl(specification_server, "GET", f"{BRAND}/stores/berlin")["timeZone"] == "Europe/Berlin"
    stores = curl(specification_server, "GET", f"{BRAND}/stores")["stores"]
    assert [store["name"] for store in stores] == [f"{BRAND}/stores/berlin"]
    menu = curl(specification_server, "GET", f"{LOCATION}/menus/smash-menu")
    assert [item["name"] for item in menu["items"]] == ["Fries", "Cola"]
    assert curl(specification_server, "GET", f"{LOCATION}/menus")["menus"] == [menu]


def test_a_config_that_a_brand_names_is_kept(specification_server: str) -> None:
    assert curl(specification_server, "GET", DRIVE)["state"] == "ACTIVE"
    assert curl(specification_server, "DELETE", DRIVE)["error"]["status"] == "FAILED_PRECONDITION"


def test_brands_and_stores_are_written_in_files_alone(specification_server: str) -> None:
    for method, path in (
        ("POST", f"{BRAND}/stores?storeId=rome"),
        ("PATCH", BRAND),
        ("DELETE", f"{BRAND}/stores/berlin"),
    ):
        error = curl(specification_server, method, path, {} if method != "DELETE" else None)["error"]
        assert (error["status"], error["details"][0]["reason"]) == ("NOT_FOUND", "unknown-method")


@pytest.mark.parametrize(
    ("method", "path", "body", "reason"),
    [
        ("GET", f"{LOCATION}/menus/smash", None, "unknown-menu"),
        ("GET", f"{BRAND}/stores/bern", None, "unknown-store"),
        ("POST", f"{BRAND}/channelConfigs", {"type": "AGENT"}, "unknown-enum-value"),
        ("POST", f"{DRIVE}:promote", {"destinationBrand": f"{LOCATION}/brands/taco"}, "unknown-brand"),
        ("POST", f"{RIDERS}:sync", {"view": 1}, "unknown-field"),
    ],
)
def test_what_is_refused_has_a_reason(
    specification_server: str, method: str, path: str, body: Any, reason: str
) -> None:
    assert curl(specification_server, method, path, body)["error"]["details"][0]["reason"] == reason
