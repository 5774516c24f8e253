import type { CastLineRow, CastProjectRow } from '../../foundation/storage/tables/cast.ts';
import type { Pronunciation } from '../../speech/voices/index.ts';
import type { CastScript, CastSpeaker, ScriptedLine, Warning } from './contract.ts';

export const projectOf = (row: CastProjectRow): CastScript => ({
  id: row.id,
  title: row.title,
  language: row.language,
  speakers: JSON.parse(row.speakers) as CastSpeaker[],
  pronunciations: JSON.parse(row.pronunciations) as Pronunciation[],
  warnings: JSON.parse(row.warnings) as Warning[],
  externalId: row.external_id,
  revision: Number(row.revision),
  lineCount: Number(row.lines),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

export const lineOf = (row: CastLineRow): ScriptedLine => ({
  id: row.id,
  speaker: row.speaker,
  text: row.text,
  voice: row.voice,
  chapter: row.chapter,
  note: row.note,
  direction: JSON.parse(row.direction) as ScriptedLine['direction'],
  directed_by: row.directed_by,
  seed: Number(row.seed),
});

/** The view has `lines` only where a single project is shown. */
export const projectView = (project: CastScript, lines?: readonly ScriptedLine[]) => ({
  id: project.id,
  object: 'cast.project' as const,
  title: project.title,
  language: project.language,
  speakers: project.speakers.map((speaker) => ({ ...speaker })),
  pronunciations: project.pronunciations.map((one) => ({ ...one })),
  line_count: project.lineCount,
  warnings: project.warnings.map((one) => ({ ...one })),
  external_id: project.externalId,
  revision: project.revision,
  created_at: project.createdAt,
  updated_at: project.updatedAt,
  ...(lines === undefined ? {} : { lines: lines.map(lineView) }),
});

export const lineView = (line: ScriptedLine) => ({
  id: line.id,
  speaker: line.speaker,
  text: line.text,
  voice: line.voice,
  chapter: line.chapter,
  note: line.note,
  direction: { ...line.direction },
  directed_by: line.directed_by,
  seed: line.seed,
});

export type ProjectView = ReturnType<typeof projectView>;
