"""VoiceBench's adapter for agents that speak OpenAI's Realtime protocol."""

import base64
import json

from voicebench import audio
from voicebench.adapters.base import AgentClear, Transcript
from voicebench.adapters.websocket import WebSocketAdapter

RATE = 24_000


class RealtimeAdapter(WebSocketAdapter):
    name = "openai-realtime"

    def encode_audio(self, pcm):
        said = audio.resample(pcm, self.session.sample_rate, RATE)
        encoded = base64.b64encode(audio.to_pcm16(said)).decode()
        return json.dumps({"type": "input_audio_buffer.append", "audio": encoded})

    def handle_text(self, message, now):
        event = json.loads(message)
        if event["type"] == "response.output_audio.delta":
            self.handle_binary(base64.b64decode(event["delta"]), now, RATE)
        elif event["type"] == "input_audio_buffer.speech_started":
            self.emit(AgentClear(now))
        elif event["type"] == "conversation.item.input_audio_transcription.completed":
            self.emit(Transcript("user", event["transcript"], now))
