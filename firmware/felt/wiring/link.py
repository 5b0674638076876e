"""A table's end of a link: its Post to the jackpot controller through the broker. Only linked tables load it."""

from __future__ import annotations

import sys

from felt.config import Config
from felt.config.link_folder import AUTHORITY, CERTIFICATE, CERTIFICATE_KEY, OWN_KEYS, SIGN_KEYS, LinkFolder
from felt.config.settings import BrokerSettings
from felt.drivers.mqtt import BrokerAddress, LastWill, MqttBroker, TlsFiles
from felt.drivers.mqtt_post import LinkKeys, LinkNames, MqttPost, last_will
from felt.ports import Post
from felt.wire import bulletin


def table_post(config: Config) -> Post:
    link = config.link
    folder = LinkFolder(config.path(link.folder))
    names = LinkNames(link.name, config.table.id, link.group)
    keys = LinkKeys(folder.keyring(OWN_KEYS), folder.keyring(SIGN_KEYS))
    will = LastWill(bulletin.here_topic(link.name, config.table.id), last_will(names, keys))
    broker = MqttBroker(broker_address(link, folder), f"felt-{link.name}-{config.table.id}", will)
    return MqttPost(broker, names, keys, lambda sentence: tell_log("felt run", sentence))


def broker_address(settings: BrokerSettings, folder: LinkFolder) -> BrokerAddress:
    files: TlsFiles | None = None
    if settings.tls:
        files = TlsFiles(folder.readable(AUTHORITY), folder.readable(CERTIFICATE), folder.readable(CERTIFICATE_KEY))
    return BrokerAddress(settings.host, settings.port, files)


def tell_log(command: str, sentence: str) -> None:
    print(f"{command}: {sentence}", file=sys.stderr, flush=True)
