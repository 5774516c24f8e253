/** A page with an agent of OpenAI's agents SDK, as its documentation has it. */
globalThis.begin = async ({ url, key }) => {
  const { OpenAIRealtimeWebRTC, RealtimeAgent, RealtimeSession, tool } = globalThis.OpenAIAgentsRealtime;
  const called = [];
  const lookUp = tool({
    name: 'look_up_order',
    description: 'Looks an order up.',
    strict: false,
    parameters: {
      type: 'object',
      properties: { order: { type: 'string' } },
      required: ['order'],
      additionalProperties: true,
    },
    execute: async (given) => {
      called.push(given);
      return 'It ships on Friday.';
    },
  });
  const agent = new RealtimeAgent({ name: 'Shop', instructions: 'You run a shop.', tools: [lookUp] });
  const audioElement = new Audio();
  audioElement.muted = true;
  const transport = new OpenAIRealtimeWebRTC({ baseUrl: url, audioElement });
  const session = new RealtimeSession(agent, { transport, model: 'gpt-realtime', tracingDisabled: true });
  const page = {
    session,
    called,
    errors: [],
    events: [],
    get id() {
      return transport.callId;
    },
    get state() {
      return transport.status;
    },
    said: () => JSON.stringify(session.history),
    level: () => {
      const samples = new Float32Array(meter.fftSize);
      meter.getFloatTimeDomainData(samples);
      return samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
    },
  };
  globalThis.page = page;
  session.on('error', ({ error }) => page.errors.push(JSON.stringify(error)));
  transport.on('*', (event) => page.events.push(event));
  await session.connect({ apiKey: key });
  const context = new AudioContext();
  const meter = context.createAnalyser();
  context.createMediaStreamSource(audioElement.srcObject).connect(meter);
};
