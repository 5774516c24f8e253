"""Pipecat services of a Trunkline server."""

from .stt import TrunklineSTTService, TrunklineSTTSettings
from .tts import TrunklineTTSService, TrunklineTTSSettings

__all__ = [
    "TrunklineSTTService",
    "TrunklineSTTSettings",
    "TrunklineTTSService",
    "TrunklineTTSSettings",
]
