"""A telephone of PJSIP that plays a recording and keeps what it hears: calls, or is called; goes on with whom it is referred to,
and with who takes the place of its call; or declines to. It ends with its input."""
import os
import select
import sys

import pjsua2 as pj
from pjsua_phone import account_at, begin, files

TARGET, PLAYS, RECORDS, PORT, REFERS = sys.argv[1:6]
ENDPOINT = pj.Endpoint()
CALLS = []


def say(*words):
    print(*words, flush=True)


class Call(pj.Call):
    def __init__(self, *args):
        super().__init__(*args)
        CALLS.append(self)

    def onCallState(self, prm):
        info = self.getInfo()
        say("call", info.id, info.stateText, info.lastStatusCode)

    connected = None

    def talk(self):
        """Connects its sound with the files, whenever there is another one."""
        info = self.getInfo() if self.isActive() else None
        if info is None or info.state != pj.PJSIP_INV_STATE_CONFIRMED:
            return
        if info.media[0].status != pj.PJSUA_CALL_MEDIA_ACTIVE:
            return
        sound = self.getAudioMedia(-1)
        if sound.getPortId() != self.connected:
            self.connected = sound.getPortId()
            player.startTransmit(sound)
            sound.startTransmit(recorder)

    def onCallTransferRequest(self, prm):
        say("referred", prm.dstUri)
        if REFERS == "declines":
            prm.statusCode = 603
        else:
            prm.newCall = Call(account)

    def onCallReplaceRequest(self, prm):
        say("replaced by a request")

    def onCallReplaced(self, prm):
        say("replaced")
        prm.newCall = Call(account, prm.newCallId)


class Account(pj.Account):
    def onIncomingCall(self, prm):
        answer = pj.CallOpParam(True)
        answer.statusCode = 200
        Call(self, prm.callId).answer(answer)


begin(ENDPOINT, int(PORT))
player, recorder = files(PLAYS, RECORDS)
account = Account()
account.create(account_at(PORT))
say("ready")
if TARGET != "-":
    Call(account).makeCall(TARGET, pj.CallOpParam(True))
while not select.select([sys.stdin], [], [], 0)[0]:
    ENDPOINT.libHandleEvents(10)
    for call in CALLS:
        call.talk()
ENDPOINT.hangupAllCalls()
for _ in range(50):
    ENDPOINT.libHandleEvents(10)
del recorder, player
say("done")
# The order in which Python would take the rest down is not PJSIP's.
os._exit(0)
