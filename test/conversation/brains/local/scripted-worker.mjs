// Speaks the local model's protocol without a model: the caller's words select its behaviour.
const notify = (message) => process.send(message);

const prepared = new Set();
process.on('disconnect', () => process.exit(0));
process.on('message', (message) => {
  if (message.kind === 'prepare') prepared.add(message.question.call);
  if (message.kind !== 'ask') return;
  const { id, question } = message;
  const said = question.messages.at(-1).content;
  const say = (text) => notify({ kind: 'event', id, event: { kind: 'text', text } });
  say(`${process.pid} `);
  if (said === 'die' || said.endsWith(' 666')) process.exit(3);
  if (said === 'fail') notify({ kind: 'failed', id, fault: 'unreachable', message: 'no memory' });
  if (said === 'slow') notify({ kind: 'measured', id, tokens: 20, ms: 1_000 });
  if (said === 'hang') return;
  if (said.endsWith(' 77')) say(prepared.has(question.call) ? 'prepared ' : 'not prepared ');
  say(said);
  notify({ kind: 'done', id });
});
const facts = {
  contextTokens: 8192,
  trainedTokens: 8192,
  calls: 4,
  contextBytes: 1_000_000,
  readTokensPerSecond: 1_000,
  writtenTokensPerSecond: 100,
};
notify({ kind: 'ready', facts });
