"""A telephone of PJSIP: calls, plays a recording, presses a key, holds the call, comes back, and hangs up."""
import os
import sys

import pjsua2 as pj

TARGET, PLAYS, RECORDS, PORT, TRANSPORT, SRTP = sys.argv[1:7]
ENDPOINT = pj.Endpoint()


def pump(seconds, until=lambda: False):
    for _ in range(int(seconds * 100)):
        if until():
            return True
        ENDPOINT.libHandleEvents(10)
    return until()


def say(*words):
    print(*words, flush=True)


class Call(pj.Call):
    connected = None

    def talks(self):
        """Connects its sound with the files, whenever there is another one."""
        info = self.getInfo()
        if info.state != pj.PJSIP_INV_STATE_CONFIRMED:
            return False
        if info.media[0].status != pj.PJSUA_CALL_MEDIA_ACTIVE:
            self.connected = None
            return False
        sound = self.getAudioMedia(-1)
        if sound.getPortId() != self.connected:
            self.connected = sound.getPortId()
            player.startTransmit(sound)
            sound.startTransmit(recorder)
        return True


config = pj.EpConfig()
config.logConfig.level = config.logConfig.consoleLevel = 0
config.uaConfig.threadCnt = 0
config.medConfig.clockRate = config.medConfig.sndClockRate = 8000
config.medConfig.ecOptions = config.medConfig.ecTailLen = 0
config.medConfig.noVad = True
ENDPOINT.libCreate()
ENDPOINT.libInit(config)
transport = pj.TransportConfig()
transport.port = int(PORT)
transport.boundAddress = "127.0.0.1"
kind = pj.PJSIP_TRANSPORT_TCP if TRANSPORT == "tcp" else pj.PJSIP_TRANSPORT_UDP
ENDPOINT.transportCreate(kind, transport)
ENDPOINT.libStart()
ENDPOINT.audDevManager().setNullDev()
for codec in ENDPOINT.codecEnum2():
    ENDPOINT.codecSetPriority(codec.codecId, 255 if codec.codecId.startswith("PCMU") else 0)

player = pj.AudioMediaPlayer()
player.createPlayer(PLAYS)
recorder = pj.AudioMediaRecorder()
recorder.createRecorder(RECORDS)

account_config = pj.AccountConfig()
account_config.idUri = f"sip:pjsua@127.0.0.1:{PORT}"
account_config.mediaConfig.transportConfig.boundAddress = "127.0.0.1"
if SRTP == "srtp":
    account_config.mediaConfig.srtpUse = pj.PJMEDIA_SRTP_MANDATORY
    account_config.mediaConfig.srtpSecureSignaling = 0
account = pj.Account()
account.create(account_config)

call = Call(account)
call.makeCall(TARGET, pj.CallOpParam(True))
if not pump(5, call.talks):
    say("no sound was agreed on")
    os._exit(1)
pump(2.5)
call.dialDtmf("5")
pump(0.7)
call.setHold(pj.CallOpParam())
pump(1)
again = pj.CallOpParam(True)
again.opt.flag = pj.PJSUA_CALL_UNHOLD
call.reinvite(again)
pump(1)
call.hangup(pj.CallOpParam())
pump(1)
del recorder, player
say("done")
# The order in which Python would take the rest down is not PJSIP's.
os._exit(0)
