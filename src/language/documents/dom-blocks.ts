import { type DocumentBlock, normalizeText } from './blocks.ts';

/** The interface is the common part of linkedom's and a browser's DOM. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: Iterable<DomNode>;
}
export interface DomElement extends DomNode {
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
}

const ELEMENT = 1;
const TEXT = 3;
const SKIPPED = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME OBJECT EMBED SVG CANVAS HEAD BUTTON INPUT SELECT TEXTAREA'.split(
    ' ',
  ),
);
const PARTS = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM HEADER HR LI MAIN NAV OL P PRE SECTION SUMMARY TBODY TD TH TR UL'.split(
    ' ',
  ),
);
const HEADING = /^H([1-6])$/;
/** Deeper markup is not a document that a person wrote. */
const DEEPEST = 200;
const LONGEST_LIST = 1_000;

export function blocksOfDom(root: DomNode): DocumentBlock[] {
  const reader = new DomReader();
  reader.read(root, 0);
  return reader.done();
}

class DomReader {
  readonly #blocks: DocumentBlock[] = [];
  #line = '';
  #list: string[] = [];

  done(): DocumentBlock[] {
    this.#endLine();
    this.#endList();
    return this.#blocks;
  }

  read(node: DomNode, depth: number): void {
    if (node.nodeType === TEXT) this.#line += node.textContent ?? '';
    if ((node.nodeType !== ELEMENT && depth > 0) || depth > DEEPEST) return;
    const name = node.nodeName.toUpperCase();
    if (SKIPPED.has(name)) return;
    const heading = HEADING.exec(name);
    if (heading !== null) this.#heading(Number(heading[1]), node);
    else if (name === 'TABLE') this.#table(node as DomElement);
    else if (name === 'LI') this.#item(node, depth);
    else if (name === 'BR') this.#line += '\n';
    else this.#inside(node, name, depth);
  }

  #inside(node: DomNode, name: string, depth: number): void {
    const isPart = PARTS.has(name);
    if (isPart) this.#endLine();
    for (const child of node.childNodes) this.read(child, depth + 1);
    if (isPart) this.#endLine();
    if (name === 'UL' || name === 'OL') this.#endList();
  }

  #heading(level: number, node: DomNode): void {
    this.#endLine();
    this.#endList();
    const text = normalizeText(node.textContent ?? '').replaceAll('\n', ' ');
    if (text !== '') this.#blocks.push({ kind: 'heading', level, text });
  }

  #item(node: DomNode, depth: number): void {
    this.#endLine();
    const before = this.#blocks.length;
    for (const child of node.childNodes) this.read(child, depth + 1);
    const text = normalizeText(this.#line);
    this.#line = '';
    if (text !== '' && this.#blocks.length === before) this.#list.push(`- ${text}`);
    else if (text !== '') this.#blocks.push({ kind: 'text', text });
    if (this.#list.length >= LONGEST_LIST) this.#endList();
  }

  #table(table: DomElement): void {
    this.#endLine();
    this.#endList();
    const rows = [...table.querySelectorAll('tr')].map((row) =>
      [...row.querySelectorAll('th, td')].map((cell) =>
        normalizeText(cell.textContent ?? '').replaceAll('\n', ' '),
      ),
    );
    const filled = rows.filter((row) => row.some((cell) => cell !== ''));
    if (filled.every((row) => row.length < 2)) this.#plain(filled.flat());
    else this.#blocks.push({ kind: 'table', rows: filled });
  }

  #plain(texts: readonly string[]): void {
    for (const text of texts) this.#blocks.push({ kind: 'text', text });
  }

  #endLine(): void {
    const text = normalizeText(this.#line);
    this.#line = '';
    if (text === '') return;
    this.#endList();
    this.#blocks.push({ kind: 'text', text });
  }

  #endList(): void {
    if (this.#list.length > 0) this.#blocks.push({ kind: 'text', text: this.#list.join('\n') });
    this.#list = [];
  }
}
