"""Is Twilio at a ConversationRelay, by Twilio's own packages: relay.py WS_URL KEY AGENT -> JSON.

`twilio` writes the TwiML, `twilio-agent-connect` has the messages that such a server receives from Twilio.
"""

import asyncio
import json
import sys
from xml.etree import ElementTree

import aiohttp
from tac.models.handoff import PendingHandoffData
from tac.models.voice import InterruptMessage, PromptMessage, SetupMessage
from twilio.twiml.voice_response import VoiceResponse

url, key, agent = sys.argv[1:]
WITHIN_S = 60


def twiml(**parameters):
    response = VoiceResponse()
    relay = response.connect().conversation_relay(url=url, dtmf_detection=True, events="tokens-played")
    for name, value in parameters.items():
        relay.parameter(name=name, value=value)
    return str(response)


class Call:
    """Opens what the TwiML says, as Twilio does for a call that comes in."""

    def __init__(self, socket):
        self.socket, self.turns, self.end, self.unknown = socket, [], None, []
        self.text = ""

    @classmethod
    async def opened(cls, http, document):
        relay = ElementTree.fromstring(document).find("Connect/ConversationRelay")
        parameters = {one.get("name"): one.get("value") for one in relay.iter("Parameter")}
        call = cls(await http.ws_connect(relay.get("url")))
        await call.send(
            SetupMessage(
                session_id="VX1",
                call_sid=f"CA{id(call)}",
                from_number="+14155550177",
                to_number="+14155550100",
                direction="inbound",
                call_type="PSTN",
                custom_parameters=parameters,
            )
        )
        return call

    async def send(self, message):
        """Fields that a message lacks are null, as these models write them."""
        await self.socket.send_str(message.model_dump_json(by_alias=True))

    async def until(self, isOver):
        async def listen():
            while not isOver() and (received := await self.socket.receive()).type == aiohttp.WSMsgType.TEXT:
                self.take(json.loads(received.data))

        await asyncio.wait_for(listen(), WITHIN_S)

    def take(self, message):
        if message["type"] == "end":
            self.end = json.loads(PendingHandoffData(**message).handoff_data)
        elif message["type"] == "text":
            self.text += message["token"]
            if message["last"]:
                self.turns.append(self.text)
                self.text = ""
        else:
            self.unknown.append(message)

    async def turn(self, count):
        await self.until(lambda: len(self.turns) >= count or self.end is not None)


async def talk(http):
    call = await Call.opened(http, twiml(api_key=key, agent_id=agent, first_name="Ada"))
    await call.turn(1)
    await call.send(PromptMessage(voice_prompt="When are", lang="en-US", last=False))
    await call.send(PromptMessage(voice_prompt="When are you open?", lang="en-US", last=True))
    await call.turn(2)
    await call.socket.send_json({"type": "info", "name": "tokensPlayed", "value": "We are open"})
    heard = "We are open from nine"
    await call.send(InterruptMessage(utterance_until_interrupt=heard, duration_until_interrupt_ms=1450))
    for digit in "42#":
        await call.socket.send_json({"type": "dtmf", "digit": digit})
    await call.turn(3)
    await call.socket.close()
    return {"turns": call.turns, "unknown": call.unknown, "end": call.end}


async def refused(http):
    call = await Call.opened(http, twiml(api_key=f"{key}x", agent_id=agent))
    await call.turn(1)
    return call.end


async def main():
    async with aiohttp.ClientSession() as http:
        print(json.dumps({**await talk(http), "refused": await refused(http)}))


asyncio.run(main())
