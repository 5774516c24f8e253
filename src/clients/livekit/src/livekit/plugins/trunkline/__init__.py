"""LiveKit plugin of a Trunkline server."""

from livekit.agents import Plugin

from .log import logger
from .stt import STT, SpeechStream
from .tts import TTS
from .version import __version__

__all__ = ["STT", "SpeechStream", "TTS", "__version__", "realtime"]


def __getattr__(name: str) -> object:
    # The realtime model stands on a plugin that is installed on request alone.
    if name == "realtime":
        from importlib import import_module

        return import_module(".realtime", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class TrunklinePlugin(Plugin):
    def __init__(self) -> None:
        super().__init__(__name__, __version__, __package__, logger)


Plugin.register_plugin(TrunklinePlugin())
