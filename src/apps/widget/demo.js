/** The page /demo: a key of the sandbox for this browser, then a session a call. */
const KEPT = 'trunkline-demo-key';

const PERSONA = `The shop is called Corner Bakery.
The shop is at 12 Mill Street.
The shop is open from seven in the morning until six in the evening, Monday to Saturday.
The shop is closed on Sundays.
A loaf of bread costs four dollars.
Cakes are made to order, two days ahead.`;
const GREETING = 'Hello, this is the corner bakery. What would you like to know?';

async function post(path, key, body) {
  const headers = { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const said = await answer.json();
  if (!answer.ok)
    throw Object.assign(new Error(said.error?.message ?? `${path}: ${answer.status}`), { answer });
  return said;
}

async function session(transport) {
  const key = sessionStorage.getItem(KEPT) ?? (await post('/v1/sandbox/keys', null, {})).api_key;
  sessionStorage.setItem(KEPT, key);
  try {
    return await post('/v1/omni/sessions', key, { origin: location.origin, transport });
  } catch (error) {
    // A key of yesterday, or of a server that began anew.
    if (error.answer?.status === 401) sessionStorage.removeItem(KEPT);
    throw error;
  }
}

const call = document.querySelector('trunkline-call');
call.setAttribute('configure', JSON.stringify({ persona: PERSONA, greeting: GREETING }));
call.getSession = session;
