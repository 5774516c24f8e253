"""Clones, designs and dubs by ElevenLabs' client of PyPI: studio_client.py BASE_URL KEY VOICE -> a JSON line."""

import json
import sys

from elevenlabs import ElevenLabs
from elevenlabs.core.api_error import ApiError

base_url, key, path = sys.argv[1:]
client = ElevenLabs(base_url=base_url, api_key=key)
with open(path, "rb") as file:
    recording = file.read()


def refusal(act):
    try:
        act()
    except ApiError as error:
        return [error.status_code, json.dumps(error.body)]


def files():
    return [("one.wav", recording), ("two.wav", recording)]


unasked = refusal(lambda: client.voices.ivc.create(name="Judy", files=files()))
clone = client.voices.ivc.create(name="Judy", files=files(), labels={"consent": "true"})
mine = [voice.voice_id for voice in client.voices.get_all().voices if voice.category == "cloned"]
spoken = b"".join(client.text_to_speech.convert(clone.voice_id, text="Hello there.", output_format="pcm_16000"))
deleted = client.voices.delete(clone.voice_id)
gone = refusal(lambda: client.voices.get(clone.voice_id))
designed = client.text_to_voice.design(voice_description="A calm low voice of an old man", text="Good evening.")
undetected = refusal(lambda: client.dubbing.create(file=("a.wav", recording), target_lang="en"))
print(
    json.dumps(
        {
            "unasked": unasked,
            "clone": clone.voice_id,
            "verification": clone.requires_verification,
            "mine": mine,
            "spoken": len(spoken),
            "deleted": deleted.status,
            "gone": gone,
            "previews": [[one.media_type, round(one.duration_secs, 1)] for one in designed.previews],
            "undetected": undetected,
            "dubs": len(client.dubbing.list().dubs),
        }
    )
)
