// A call to an agent, typed by the caller and spoken by the agent: node call.mjs
import { Trunkline } from 'trunkline-client';

const trunkline = new Trunkline({ baseUrl: process.env.TRUNKLINE_URL, apiKey: process.env.TRUNKLINE_KEY });
const session = await trunkline.omni.connect({
  rate: 16_000,
  configure: { language: 'en', greeting: 'Hello, how can I help you?', persona: 'We open at nine and close at five.' },
});
console.log(`call ${session.configured.call_id}, spoken by ${session.configured.voice_id}`);

let bytes = 0;
let asked = false;
for await (const message of session) {
  if (message.kind === 'audio') bytes += message.pcm.length;
  if (message.kind === 'transcript' && message.final) console.log(`${message.role}: ${message.text}`);
  if (message.kind === 'transcript' && message.final && message.role === 'agent') {
    if (asked) session.end();
    else session.userText('When do you open?');
    asked = true;
  }
  if (message.kind === 'event' && message.event.event === 'ended') console.log(`ended: ${message.event.reason}`);
}
console.log(`heard ${(bytes / 32_000).toFixed(1)} s`);
