"""Streams a recording with Deepgram's client of PyPI, as its documentation does: deepgram_live.py URL KEY PCM -> a JSON line."""

import json
import sys
import threading
import time

from deepgram import DeepgramClient
from deepgram.core.events import EventType
from deepgram.environment import DeepgramClientEnvironment

url, key, path = sys.argv[1:]
base = f"{url}/deepgram"
socket = base.replace("http", "ws")
environment = DeepgramClientEnvironment(base=base, production=socket, agent=socket, agent_rest=base)
client = DeepgramClient(api_key=key, environment=environment)
messages = []
with open(path, "rb") as file:
    pcm = file.read()

with client.listen.v1.connect(
    model="nova-3",
    language="en",
    encoding="linear16",
    sample_rate=16000,
    interim_results=True,
    utterance_end_ms=1000,
    vad_events=True,
) as connection:
    connection.on(EventType.MESSAGE, lambda message: messages.append(message))
    listening = threading.Thread(target=connection.start_listening)
    listening.start()
    connection.send_keep_alive()
    for at in range(0, len(pcm), 3200):
        connection.send_media(pcm[at : at + 3200])
        time.sleep(0.05)
    connection.send_finalize()
    connection.send_close_stream()
    listening.join(timeout=60)

results = [one for one in messages if one.type == "Results"]
print(
    json.dumps(
        {
            "types": [one.type for one in messages],
            "interim": sum(not one.is_final for one in results),
            "finals": [one.channel.alternatives[0].transcript for one in results if one.is_final],
            "speech_final": any(one.speech_final for one in results),
        }
    )
)
