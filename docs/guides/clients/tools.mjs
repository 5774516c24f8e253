// An agent that calls a function of yours: node tools.mjs
import { Trunkline } from 'trunkline-client';

const trunkline = new Trunkline({ baseUrl: process.env.TRUNKLINE_URL, apiKey: process.env.TRUNKLINE_KEY });
const session = await trunkline.omni.connect({
  configure: {
    language: 'en',
    tools: [
      {
        name: 'look_up_order',
        description: 'Where an order is',
        parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
      },
    ],
  },
  tools: {
    look_up_order: ({ number }) => {
      console.log(`looked up ${number}`);
      return { state: 'on its way' };
    },
  },
});
session.userText('Where is my order 1234?');
for await (const message of session) {
  if (message.kind !== 'transcript' || !message.final || message.role !== 'agent') continue;
  console.log(`agent: ${message.text}`);
  session.end();
}
