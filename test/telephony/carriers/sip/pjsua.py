"""A telephone of PJSIP: calls, plays a recording, presses a key, holds the call, comes back, and hangs up."""
import os
import sys

import pjsua2 as pj
from pjsua_phone import account_at, begin, files

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


kind = pj.PJSIP_TRANSPORT_TCP if TRANSPORT == "tcp" else pj.PJSIP_TRANSPORT_UDP
begin(ENDPOINT, int(PORT), kind)
player, recorder = files(PLAYS, RECORDS)
account_config = account_at(PORT)
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
