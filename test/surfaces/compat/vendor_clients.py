"""Uses Deepgram's and ElevenLabs' clients of PyPI as their documentation does: vendor_clients.py URL KEY FILE -> a JSON line."""

import json
import sys

from deepgram import DeepgramClient
from deepgram.environment import DeepgramClientEnvironment
from elevenlabs.client import ElevenLabs

url, key, path = sys.argv[1:]
base = f"{url}/deepgram"
socket = base.replace("http", "ws")
environment = DeepgramClientEnvironment(base=base, production=socket, agent=socket, agent_rest=base)
deepgram = DeepgramClient(api_key=key, environment=environment)
with open(path, "rb") as file:
    heard = deepgram.listen.v1.media.transcribe_file(request=file.read(), model="nova-3", language="en")

elevenlabs = ElevenLabs(api_key=key, base_url=f"{url}/elevenlabs")
audio = b"".join(elevenlabs.text_to_speech.convert("joe_en_us", text="Hello there."))
timed = elevenlabs.text_to_speech.convert_with_timestamps("joe_en_us", text="Hello there.")
print(
    json.dumps(
        {
            "transcript": heard.results.channels[0].alternatives[0].transcript,
            "spoken": len(audio),
            "characters": "".join(timed.alignment.characters),
            "voices": [voice.voice_id for voice in elevenlabs.voices.get_all().voices],
        }
    )
)
