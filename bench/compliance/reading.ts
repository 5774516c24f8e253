import type { Country } from '../../src/telephony/compliance/contract.ts';
import type { PictureReader } from '../../src/telephony/compliance/ocr/reader.ts';
import { DocumentReader, type ReadOutcome } from '../../src/telephony/compliance/reading/document-reader.ts';
import { Registry } from '../../src/telephony/compliance/registry/registry.ts';
import type { Paper } from './papers.ts';

export interface Compared {
  readonly field: string;
  readonly truth: string;
  readonly value: string | null;
  readonly confidence: number;
  readonly right: boolean;
}

const registry = new Registry();

/** Spaces, commas and case do not make an address or a name different. */
const reported = (value: string): string =>
  value
    .toLowerCase()
    .replace(/[\s,.]+/g, ' ')
    .trim();

export async function readPaper(
  pictures: PictureReader | null,
  paper: Paper,
  bytes: Buffer,
  mimeType: string,
): Promise<{ outcome: ReadOutcome; compared: Compared[]; milliseconds: number }> {
  const { kind, country, number_type } = paper;
  const subject = { kind, country: country as Country, number_type, capabilities: ['voice'] };
  const { config } = registry.freeze(subject, Date.now(), null);
  const document = config.documents.find(({ id }) => id === paper.document)!;
  const from = performance.now();
  const asked = { bytes, mimeType, document, config, reserve: async () => 'ok' as const };
  const outcome = await new DocumentReader(pictures).read(asked, new AbortController().signal);
  const milliseconds = performance.now() - from;
  const fields = outcome.kind === 'read' ? outcome.fields : [];
  const compared = Object.entries(paper.truth).map(([field, truth]): Compared => {
    const found = fields.find((each) => each.field === field);
    const value = found?.value ?? null;
    const right = value !== null && found?.invalid !== true && reported(value) === reported(truth);
    return { field, truth, value, confidence: found?.confidence ?? 0, right };
  });
  return { outcome, compared, milliseconds };
}
