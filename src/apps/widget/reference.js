/** The reference page's own script: it searches what the page holds, and sends requests with the reader's key. */
const bar = document.querySelector('.bar');
const search = document.querySelector('#search');
const key = document.querySelector('#key');
const found = document.querySelector('#found');
const entries = [...document.querySelectorAll('section > .e')];
bar.hidden = false;

const texts = new Map();
const textOf = (entry) => {
  if (!texts.has(entry)) texts.set(entry, entry.textContent.toLowerCase());
  return texts.get(entry);
};

/** Every word must stand in an entry; those that name it in their heading come by themselves first. */
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const named = entries.filter((entry) => {
    const heading = entry.querySelector('summary').textContent.toLowerCase();
    return words.every((word) => heading.includes(word));
  });
  const shown = new Set(
    named.length > 0 ? named : entries.filter((entry) => words.every((word) => textOf(entry).includes(word))),
  );
  for (const entry of entries) entry.hidden = !shown.has(entry);
  for (const section of document.querySelectorAll('section'))
    section.hidden = !section.querySelector('.e:not([hidden])');
  found.textContent = words.length === 0 ? '' : `${shown.size} found`;
}
search.addEventListener('input', filter);

/** A link to an entry opens it, and whatever it stands in. */
function open() {
  let entry = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  entry?.scrollIntoView();
  for (; entry; entry = entry.parentElement) if (entry.tagName === 'DETAILS') entry.open = true;
}
addEventListener('hashchange', open);
open();

const made = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

/** The form of one operation, made when its entry is opened. */
function build(place) {
  const { method, path, json, form } = JSON.parse(place.dataset.try);
  const url = made('input', { value: path, ariaLabel: 'Path and query' });
  const parts = [url];
  const body =
    json === undefined
      ? null
      : made('textarea', { value: JSON.stringify(json, null, 2), rows: 6, ariaLabel: 'Body' });
  if (body) parts.push(body);
  const fields = Object.entries(form ?? {}).map(([name, example]) => {
    const file = example === '(bytes)';
    const input = made('input', { name, type: file ? 'file' : 'text', ariaLabel: name });
    if (!file) input.value = typeof example === 'string' ? example : JSON.stringify(example);
    parts.push(made('label', {}, `${name} `, input));
    return input;
  });
  const answer = made('div', { className: 'answer', role: 'status' });
  const button = made('button', { type: 'button', textContent: `Try ${method}` });
  button.addEventListener('click', async () => {
    button.disabled = true;
    answer.replaceChildren('…');
    answer.replaceChildren(...(await send(method, url.value, body?.value, fields)));
    button.disabled = false;
  });
  place.append(made('h4', { textContent: 'Try it' }), ...parts, button, answer);
}

async function send(method, path, json, fields) {
  const headers = key.value === '' ? {} : { authorization: `Bearer ${key.value}` };
  let body = json;
  if (json !== undefined) headers['content-type'] = 'application/json';
  else if (fields.length > 0) {
    body = new FormData();
    for (const input of fields) {
      if (input.type !== 'file') body.append(input.name, input.value);
      else if (input.files[0]) body.append(input.name, input.files[0]);
    }
  }
  try {
    const response = await fetch(path, { method, headers, body });
    const type = response.headers.get('content-type') ?? '';
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const status = made('p', {
      textContent: `${response.status} ${response.statusText}`,
      className: 'status',
    });
    return [status, made('pre', { textContent: lines }), await shownBody(response, type)];
  } catch (error) {
    return [made('p', { textContent: String(error), className: 'status' })];
  }
}

async function shownBody(response, type) {
  if (type.startsWith('audio/')) {
    return made('audio', { controls: true, src: URL.createObjectURL(await response.blob()) });
  }
  const text = await response.text();
  const pretty =
    /json/.test(type) && !type.includes('ndjson') ? JSON.stringify(JSON.parse(text), null, 2) : text;
  return made('pre', { textContent: pretty });
}

document.addEventListener(
  'toggle',
  ({ target }) => {
    const place = target.open ? target.querySelector?.(':scope > .try') : null;
    if (place && place.childElementCount === 0) build(place);
  },
  true,
);
for (const place of document.querySelectorAll('.e[open] > .try'))
  if (place.childElementCount === 0) build(place);
