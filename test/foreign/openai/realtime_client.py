"""Uses OpenAI's Realtime client of PyPI as its documentation does: realtime_client.py BASE_URL KEY PCM -> a JSON line."""

import asyncio
import base64
import json
import sys

from openai import AsyncOpenAI
from openai.types.realtime import RealtimeServerEvent
from pydantic import TypeAdapter, ValidationError

base_url, key, path = sys.argv[1:]
client = AsyncOpenAI(base_url=base_url, api_key=key, websocket_base_url=base_url.replace("http", "ws", 1))
events_of_theirs = TypeAdapter(RealtimeServerEvent)
strangers = []

LOOK_UP = {
    "type": "function",
    "name": "look_up_order",
    "description": "Looks an order up.",
    "parameters": {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]},
}


async def until(connection, wanted):
    async for event in connection:
        try:
            events_of_theirs.validate_python(event.to_dict())
        except ValidationError as error:
            strangers.append([event.type, str(error)[:500]])
        if event.type == "error":
            raise RuntimeError(event.to_json())
        if event.type == wanted:
            return event


async def say(connection, text):
    content = [{"type": "input_text", "text": text}]
    await connection.conversation.item.create(item={"type": "message", "role": "user", "content": content})
    await connection.response.create()


async def talk():
    async with client.realtime.connect(model="gpt-realtime") as connection:
        await connection.session.update(session={"type": "realtime", "instructions": "You run a shop."})
        await until(connection, "session.updated")
        await say(connection, "When are you open?")
        answered = await until(connection, "response.done")
        return answered.response.output[0].content[0].transcript


async def call():
    async with client.realtime.connect(model="gpt-realtime") as connection:
        await connection.session.update(session={"type": "realtime", "tools": [LOOK_UP]})
        await say(connection, "Where is order 4711?")
        called = await until(connection, "response.function_call_arguments.done")
        await until(connection, "response.done")
        output = {"type": "function_call_output", "call_id": called.call_id, "output": '{"ships": "Friday"}'}
        await connection.conversation.item.create(item=output)
        await connection.response.create()
        answered = await until(connection, "response.done")
        return answered.response.output[0].content[0].transcript


async def transcribe():
    async with client.realtime.connect(extra_query={"intent": "transcription"}) as connection:
        listening = {"type": "transcription", "audio": {"input": {"transcription": {"model": "whisper-1", "language": "en"}}}}
        await connection.session.update(session=listening)
        with open(path, "rb") as file:
            pcm = file.read() + bytes(96_000)
        for at in range(0, len(pcm), 4_800):
            await connection.input_audio_buffer.append(audio=base64.b64encode(pcm[at : at + 4_800]).decode())
        done = await until(connection, "conversation.item.input_audio_transcription.completed")
        return done.transcript


async def clear():
    async with client.realtime.connect(extra_query={"intent": "transcription"}) as connection:
        listening = {"turn_detection": None, "transcription": {"model": "gpt-transcribe", "languages": ["en"]}}
        await connection.session.update(session={"type": "transcription", "audio": {"input": listening}})
        with open(path, "rb") as file:
            said = base64.b64encode(file.read()).decode()
        await connection.input_audio_buffer.append(audio=said)
        await connection.input_audio_buffer.clear()
        await connection.input_audio_buffer.append(audio=said)
        await connection.input_audio_buffer.commit()
        await until(connection, "input_audio_buffer.cleared")
        done = await until(connection, "conversation.item.input_audio_transcription.completed")
        await connection.input_audio_buffer.commit()
        async for event in connection:
            if event.type == "error":
                return [done.transcript, event.error.code]


async def with_a_secret():
    session = {"type": "realtime", "model": "gpt-realtime", "instructions": "You sell boats."}
    secret = await client.realtime.client_secrets.create(expires_after={"anchor": "created_at", "seconds": 60}, session=session)
    page = AsyncOpenAI(base_url=base_url, api_key=secret.value, websocket_base_url=base_url.replace("http", "ws", 1))
    async with page.realtime.connect(model="gpt-realtime") as connection:
        created = await until(connection, "session.created")
        # One session is all that it opens.
        await say(connection, "When are you open?")
        await until(connection, "response.output_audio.delta")
        try:
            async with page.realtime.connect(model="gpt-realtime"):
                return "opened twice"
        except Exception as error:
            return [created.session.instructions, "401" in str(error)]


async def main():
    answer, tool, transcript = await talk(), await call(), await transcribe()
    cleared, secret = await clear(), await with_a_secret()
    said = {"answer": answer, "tool": tool, "transcript": transcript, "cleared": cleared, "secret": secret}
    print(json.dumps({**said, "strangers": strangers}))


asyncio.run(main())
