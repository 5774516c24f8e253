/** Parses dialogue as `NAME: text`: a line without a name continues the speaker's, and `# Title` begins a chapter. */
import { NARRATOR } from '../contract.ts';
import type { Script } from './contract.ts';
import { isName, linesOf, ScriptBuilder, squeezed, withoutNote } from './script-builder.ts';

interface SpokenLine {
  readonly speaker: string;
  readonly note?: string;
  readonly text: string;
}

export function readDialogue(text: string): Script {
  const gathering = new ScriptBuilder();
  let open: SpokenLine | null = null;
  for (const raw of [...linesOf(text), '']) {
    const line = raw.trim();
    const title = line.startsWith('#') ? line.replace(/^#+/u, '') : null;
    const said = line === '' || title !== null ? null : cueOf(line);
    if (open !== null && (line === '' || title !== null || said !== null)) {
      gathering.add(open);
      open = null;
    }
    if (title !== null) gathering.chapter(title);
    else if (said !== null) open = said;
    else if (line !== '') open = goingOn(open, line);
  }
  return gathering.script;
}

const goingOn = (open: SpokenLine | null, line: string): SpokenLine =>
  open === null ? { speaker: NARRATOR, ...withoutNote(line) } : { ...open, text: `${open.text} ${line}` };

/** Returns null where the line names no speaker. */
export function cueOf(line: string): SpokenLine | null {
  const colon = line.search(/[:：]/u);
  if (colon <= 0 || colon > 300) return null;
  // `**ANNA:** text` and `**ANNA**: text` are the same.
  const before = line.slice(0, colon).replaceAll('*', '');
  const after = line.slice(colon + 1).replace(/^\*+/u, '');
  const bracket = before.indexOf('(');
  const name = squeezed(bracket < 0 ? before : before.slice(0, bracket));
  if (!isName(name)) return null;
  const said = { speaker: name, ...withoutNote(after) };
  if (bracket < 0 || said.note !== undefined) return said;
  const { note } = withoutNote(before.slice(bracket));
  return note === undefined ? said : { ...said, note };
}
