from __future__ import annotations

import pytest
from kombu.transport.redis import Transport

from config.broker import outlive_the_broker
from config.celery import app


def test_a_channel_of_a_closed_connection_fails_as_one_that_is_lost(queue, monkeypatch):
    """For that is what a worker outlives when the broker goes (tests.decoding.test_faults)."""
    monkeypatch.setattr(Transport, "Channel", Transport.Channel)  # put back at the end
    outlive_the_broker()
    connection = app.connection_for_read()
    channel = connection.channel()
    connection.close()
    with pytest.raises(connection.connection_errors), channel.conn_or_acquire() as client:
        client.ping()
