"""Uses Deepgram's and ElevenLabs' clients of PyPI as their documentation does: vendor_clients.py URL KEY FILE -> a JSON line."""

import json
import sys
import threading
import time
import wave

from deepgram import DeepgramClient
from deepgram.core.events import EventType
from deepgram.environment import DeepgramClientEnvironment
from elevenlabs.client import ElevenLabs

url, key, path = sys.argv[1:]
base = f"{url}/deepgram"
socket = base.replace("http", "ws")
environment = DeepgramClientEnvironment(base=base, production=socket, agent=socket, agent_rest=base)
deepgram = DeepgramClient(api_key=key, environment=environment)
with open(path, "rb") as file:
    heard = deepgram.listen.v1.media.transcribe_file(request=file.read(), model="nova-3", language="en")



def live() -> list:
    """Sends the file as a stream; a thread of its own reads, as Deepgram's examples do."""
    told = []
    with wave.open(path) as recording:
        rate, pcm = recording.getframerate(), recording.readframes(recording.getnframes())
    options = {"model": "nova-3", "language": "en", "encoding": "linear16", "interim_results": "true"}
    with deepgram.listen.v1.connect(**options, sample_rate=rate) as connection:
        connection.on(EventType.MESSAGE, told.append)
        reader = threading.Thread(target=connection.start_listening)
        reader.start()
        connection.send_keep_alive()
        first = 3 * 2 * rate
        for at in range(0, len(pcm), rate // 5):
            while at == first and not any(one.type == "Results" and not one.is_final for one in told):
                time.sleep(0.05)  # who sends all at once may hear nothing before it is final
            connection.send_media(pcm[at : at + rate // 5])
        connection.send_finalize()
        connection.send_close_stream()
        reader.join(60)
    return told


told = live()
results = [one for one in told if one.type == "Results"]
elevenlabs = ElevenLabs(api_key=key, base_url=f"{url}/elevenlabs")
audio = b"".join(elevenlabs.text_to_speech.convert("joe_en_us", text="Hello there."))
timed = elevenlabs.text_to_speech.convert_with_timestamps("joe_en_us", text="Hello there.")
print(
    json.dumps(
        {
            "transcript": heard.results.channels[0].alternatives[0].transcript,
            "live": " ".join(one.channel.alternatives[0].transcript for one in results if one.is_final),
            "last": told[-1].type,
            "spoken": len(audio),
            "characters": "".join(timed.alignment.characters),
            "voices": [voice.voice_id for voice in elevenlabs.voices.get_all().voices],
        }
    )
)
