"""What kombu gets wrong when the broker goes. Workers alone import it, for it takes time."""

from __future__ import annotations

from typing import Any

from kombu.transport.redis import Channel, Transport
from redis.exceptions import ConnectionError as BrokerGone


class LastingChannel(Channel):
    """A channel whose connection, once closed, is a lost one, and not an error that nobody expects.

    When the broker goes, Celery closes the connection twice. A channel that was reading then has
    lost whom to ask for the broker's address (kombu 5.7), and the worker ended with an
    AttributeError, about every tenth time. Connection errors it outlives.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if self.connection is None or self.connection.client is None:
            raise BrokerGone("the connection has been closed")
        params: dict[str, Any] = super()._connparams(asynchronous)
        return params


def outlive_the_broker() -> None:
    """Have all channels of this process be such."""
    Transport.Channel = LastingChannel
