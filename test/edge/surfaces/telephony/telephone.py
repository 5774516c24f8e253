"""A telephone of PJSIP that registers, and answers one call: telephone.py REGISTRAR USERNAME REALM PASSWORD PORT RECORDS"""
import os
import sys

import pjsua2 as pj
from pjsua_phone import account_at, begin

REGISTRAR, USERNAME, REALM, PASSWORD, PORT, RECORDS = sys.argv[1:7]
ENDPOINT = pj.Endpoint()


def say(*words):
    print(*words, flush=True)


def pump(seconds, until):
    for _ in range(int(seconds * 100)):
        if until():
            return True
        ENDPOINT.libHandleEvents(10)
    return until()


class Call(pj.Call):
    over = False
    heard = False

    def onCallState(self, _):
        self.over = self.getInfo().state == pj.PJSIP_INV_STATE_DISCONNECTED

    def onCallMediaState(self, _):
        # The list belongs to the information, so a variable holds that.
        info = self.getInfo()
        if info.media[0].status == pj.PJSUA_CALL_MEDIA_ACTIVE and not self.heard:
            self.heard = True
            self.getAudioMedia(-1).startTransmit(recorder)


class Account(pj.Account):
    status = 0
    call = None

    def onRegState(self, param):
        self.status = param.code
        say("registered", param.code, param.expiration)

    def onIncomingCall(self, param):
        self.call = Call(self, param.callId)
        say("rings", self.call.getInfo().remoteUri)
        answer = pj.CallOpParam()
        answer.statusCode = 200
        self.call.answer(answer)


begin(
    ENDPOINT,
    int(PORT),
    pj.PJSIP_TRANSPORT_TCP if "transport=tcp" in REGISTRAR else pj.PJSIP_TRANSPORT_UDP,
)
recorder = pj.AudioMediaRecorder()
recorder.createRecorder(RECORDS)
config = account_at(PORT)
config.idUri = f"sip:{USERNAME}@{REALM}"
config.regConfig.registrarUri = REGISTRAR
config.sipConfig.authCreds.append(pj.AuthCredInfo("digest", REALM, USERNAME, 0, PASSWORD))
config.sipConfig.proxies.append(f"{REGISTRAR};lr")
account = Account()
account.create(config)
if not pump(10, lambda: account.status != 0) or account.status != 200:
    say("not registered")
    os._exit(1)
if not pump(60, lambda: account.call is not None and account.call.heard):
    say("not called")
    os._exit(1)
pump(6, lambda: account.call.over)
account.call.hangup(pj.CallOpParam())
pump(5, lambda: account.call.over)
account.setRegistration(False)
pump(1, lambda: False)
del recorder
say("done")
# The order in which Python would take the rest down is not PJSIP's.
os._exit(0)
