import { isDeepStrictEqual } from 'node:util';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import { mergePatch, type Patch } from '../../foundation/platform/merge-patch.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { requireNoLegalHoldOn } from '../../foundation/privacy/index.ts';
import { type Blobs, newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { CastProjectRow } from '../../foundation/storage/tables/cast.ts';
import { checkPronunciations, type Pronunciation } from '../../speech/voices/index.ts';
import { BLOB_AREA } from './blobs.ts';
import { type CastVoices, castSpeakers, type GivenSpeaker, type VoiceSimilarity } from './casting/index.ts';
import {
  type CastScript,
  type CastSpeaker,
  type LineDirection,
  NARRATOR,
  type ScriptedLine,
  type Warning,
} from './contract.ts';
import { checkSpeaker, checkText, draftOf, type GivenText } from './draft.ts';
import { fittingTo } from './emphasis.ts';
import { LIMITS } from './limits.ts';
import { writeLines } from './line-rows.ts';
import { lineOf, projectOf } from './view.ts';
import { NOT_STRESSED, requireCapableVoice, unsupportedDirections } from './voice-capabilities.ts';

export interface GivenProject extends GivenText {
  readonly title?: string;
  readonly language?: string;
  readonly speakers?: readonly GivenSpeaker[];
  readonly pronunciations?: readonly Pronunciation[];
  readonly external_id?: string | null;
}

/** An absent field stays as it is. */
export interface LineChange
  extends Patch<Pick<ScriptedLine, 'speaker' | 'voice' | 'chapter' | 'note' | 'seed'>> {
  readonly text?: string;
  /** The change is merged with the line's direction; null removes it. */
  readonly direction?: Patch<LineDirection> | null;
}

export interface CastProjectsDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly voices: CastVoices;
  readonly similarity: VoiceSimilarity;
}

export type WithProjectTransaction<T> = (trx: Trx, made: T) => Promise<void>;

export interface ProjectWithLines {
  readonly project: CastScript;
  readonly lines: readonly ScriptedLine[];
}

const UNSAID = {
  title: 'Untitled',
  language: 'en',
  speakers: [],
  pronunciations: [],
  external_id: null,
} satisfies GivenProject;
const UNSAID_OF_LINE = {
  speaker: NARRATOR,
  voice: null,
  chapter: null,
  note: null,
  seed: 0,
} satisfies Partial<ScriptedLine>;
const LONGEST_TITLE = 200;
/** These warnings change with the voices. */
const OF_VOICES: readonly string[] = ['voices_alike', NOT_STRESSED];

export const noProject = (): ApiError => new NoSuchError('cast project');
const noLine = (): ApiError => new ApiError('not_found', 'The project has no such line.');

export class CastProjects {
  readonly #deps: CastProjectsDeps;

  constructor(deps: CastProjectsDeps) {
    this.#deps = deps;
  }

  async create(
    scope: TenantScope,
    given: GivenProject,
    keep: WithProjectTransaction<ProjectWithLines>,
  ): Promise<ProjectWithLines> {
    const now = this.#deps.clock.now();
    const empty: CastScript = {
      id: newId('cast'),
      title: UNSAID.title,
      language: UNSAID.language,
      speakers: [],
      pronunciations: [],
      warnings: [],
      externalId: given.external_id ?? null,
      revision: 0,
      lineCount: 0,
      createdAt: now,
      updatedAt: now,
    };
    if (given.script === undefined && given.lines === undefined)
      throw new ApiError('invalid_request', 'Send a script or lines.', { param: 'script' });
    const whole = await this.#changed(scope, { project: empty, lines: [] }, given);
    await this.#deps.storage.transaction(async (trx) => {
      await withinTenant(trx, scope).insertInto('cast_projects', columnsOf(whole.project)).execute();
      await writeLines(trx, scope, whole.project.id, [], whole.lines);
      await keep(trx, whole);
    });
    return whole;
  }

  async get(scope: TenantScope, id: string): Promise<ProjectWithLines> {
    return await this.#read(this.#deps.storage.db, scope, id);
  }

  /** Returns one row more than `limit`, newest first. */
  async list(scope: TenantScope, query: PageQuery, start: PageEnd | null): Promise<CastProjectRow[]> {
    const rows = withinTenant(this.#deps.storage.db, scope).selectFrom('cast_projects').selectAll();
    return await newestFirst(rows, query, start).execute();
  }

  async change(scope: TenantScope, id: string, change: Patch<GivenProject>): Promise<ProjectWithLines> {
    const before = await this.get(scope, id);
    const given = mergePatch<GivenProject>({}, change, UNSAID);
    const { project, lines } = before;
    const speakers = change.speakers === null ? [] : project.speakers;
    const whole = await this.#changed(scope, { project: { ...project, speakers }, lines }, given);
    return await this.#store(scope, before, whole);
  }

  async changeLine(
    scope: TenantScope,
    id: string,
    lineId: string,
    change: LineChange,
  ): Promise<ScriptedLine> {
    const before = await this.get(scope, id);
    const line = before.lines.find((one) => one.id === lineId);
    if (line === undefined) throw noLine();
    const changed = changedLine(line, change);
    const lines = before.lines.map((one) => (one === line ? changed : one));
    const whole = await this.#store(scope, before, await this.#changed(scope, before, {}, lines));
    return whole.lines.find((one) => one.id === lineId)!;
  }

  /** Writes directions unless the project has changed meanwhile. */
  async direct(
    scope: TenantScope,
    before: ProjectWithLines,
    lines: readonly ScriptedLine[],
  ): Promise<ProjectWithLines> {
    const { project } = before;
    const whole = {
      project: { ...project, revision: project.revision + 1, updatedAt: this.#deps.clock.now() },
      lines,
    };
    return await this.#store(scope, before, whole);
  }

  /** Removes the project with all its renders. */
  async remove(
    scope: TenantScope,
    id: string,
    alongside: (trx: Trx) => Promise<readonly string[]>,
  ): Promise<void> {
    const { storage, blobs } = this.#deps;
    const owners = await storage.transaction(async (trx) => {
      await this.#read(trx, scope, id);
      await requireNoLegalHoldOn(trx, scope, id);
      const renders = await alongside(trx);
      const own = withinTenant(trx, scope);
      await own.deleteFrom('cast_lines').where('cast_id', '=', id).execute();
      await own.deleteFrom('cast_takes').where('cast_id', '=', id).execute();
      await own.deleteFrom('cast_projects').where('id', '=', id).execute();
      return [id, ...renders];
    });
    for (const owner of owners) await blobs.deleteOwner(BLOB_AREA, owner);
    await storage.scrub();
  }

  async #changed(
    scope: TenantScope,
    before: ProjectWithLines,
    given: GivenProject,
    edited?: readonly ScriptedLine[],
  ): Promise<ProjectWithLines> {
    const { voices, similarity, clock } = this.#deps;
    const { project } = before;
    const draft = edited === undefined ? await draftOf(given, before.lines, scope.org) : null;
    const spoken = withOneSpelling(edited ?? draft?.lines ?? before.lines);
    const language = given.language ?? project.language;
    const { speakers, warnings } = await castSpeakers(voices, similarity, {
      scope,
      language,
      speaking: speakingIn(spoken, draft?.voices ?? new Map()),
      given: given.speakers ?? [],
      known: language === project.language ? project.speakers : [],
    });
    const { lines, left } = await this.#withVoices(scope, spoken, speakers);
    const reading = draft?.warnings ?? project.warnings.filter(({ code }) => !OF_VOICES.includes(code));
    return {
      lines: draft === null && edited === undefined ? before.lines : lines,
      project: {
        ...project,
        title: checkTitle(given.title ?? project.title),
        language,
        speakers,
        pronunciations: checkPronunciations(given.pronunciations ?? project.pronunciations),
        warnings: [...reading, ...warnings, ...left].slice(0, LIMITS.warnings),
        externalId: given.external_id === undefined ? project.externalId : given.external_id,
        revision: project.revision + 1,
        lineCount: lines.length,
        updatedAt: clock.now(),
      },
    };
  }

  /** Resolves the voices of lines to canonical ids, and refuses directions that a voice cannot render. */
  async #withVoices(
    scope: TenantScope,
    lines: readonly ScriptedLine[],
    speakers: readonly CastSpeaker[],
  ): Promise<{ readonly lines: readonly ScriptedLine[]; readonly left: readonly Warning[] }> {
    const warnings = new Map<string, Warning>();
    const known = new Map<string, Awaited<ReturnType<CastVoices['resolve']>>>();
    const resolve = async (name: string, param: string) => {
      const voice = known.get(name) ?? (await this.#deps.voices.resolve(scope, name, param));
      known.set(name, voice);
      return voice;
    };
    const withVoices: ScriptedLine[] = [];
    for (const [at, line] of lines.entries()) {
      const name = line.voice ?? speakers.find((one) => one.name === line.speaker)!.voice;
      const voice = await resolve(name, `lines.${at}.voice`);
      requireCapableVoice(line, voice, at);
      const left = unsupportedDirections(line, voice);
      if (left !== null) warnings.set(left.message, left);
      withVoices.push(line.voice === null || line.voice === voice.id ? line : { ...line, voice: voice.id });
    }
    return { lines: withVoices, left: [...warnings.values()] };
  }

  async #read(db: Storage['db'] | Trx, scope: TenantScope, id: string): Promise<ProjectWithLines> {
    const own = withinTenant(db, scope);
    const row = await own.selectFrom('cast_projects').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw noProject();
    const lines = await own
      .selectFrom('cast_lines')
      .selectAll()
      .where('cast_id', '=', id)
      .orderBy('ordinal')
      .execute();
    return { project: projectOf(row), lines: lines.map(lineOf) };
  }

  /**
   * A write based on an older revision is refused, so that no change is lost. A change without effect makes no
   * revision.
   */
  async #store(
    scope: TenantScope,
    before: ProjectWithLines,
    whole: ProjectWithLines,
  ): Promise<ProjectWithLines> {
    const { revision, updatedAt } = before.project;
    if (isDeepStrictEqual({ ...whole, project: { ...whole.project, revision, updatedAt } }, before))
      return before;
    await this.#deps.storage.transaction(async (trx) => {
      const { id, ...columns } = columnsOf(whole.project);
      const { numUpdatedRows } = await withinTenant(trx, scope)
        .updateTable('cast_projects')
        .set(columns)
        .where('id', '=', id)
        .where('revision', '=', before.project.revision)
        .executeTakeFirst();
      if (numUpdatedRows === 0n)
        throw new ApiError(
          'version_conflict',
          'Another request has changed the project. Retrieve it again and repeat the change.',
        );
      await writeLines(trx, scope, id, before.lines, whole.lines);
    });
    return whole;
  }
}

const columnsOf = (project: CastScript) => ({
  id: project.id,
  title: project.title,
  language: project.language,
  speakers: JSON.stringify(project.speakers),
  pronunciations: JSON.stringify(project.pronunciations),
  warnings: JSON.stringify(project.warnings),
  external_id: project.externalId,
  lines: project.lineCount,
  revision: project.revision,
  created_at: project.createdAt,
  updated_at: project.updatedAt,
});

/** `ANNA` and `Anna` are one speaker, with the spelling that came first. */
function withOneSpelling(lines: readonly ScriptedLine[]): readonly ScriptedLine[] {
  const names = new Map<string, string>();
  return lines.map((line) => {
    const key = line.speaker.toLowerCase();
    const name = names.get(key) ?? line.speaker;
    names.set(key, name);
    return name === line.speaker ? line : { ...line, speaker: name };
  });
}

const speakingIn = (
  lines: readonly ScriptedLine[],
  voices: ReadonlyMap<string, string>,
): readonly GivenSpeaker[] =>
  [...new Set(lines.map(({ speaker }) => speaker))].map((name) => {
    const voice = voices.get(name.toLowerCase());
    return voice === undefined ? { name } : { name, voice };
  });

function changedLine(line: ScriptedLine, change: LineChange): ScriptedLine {
  const { direction, ...rest } = change;
  if (change.text !== undefined) checkText(change.text, 'the line', 'text');
  if (typeof change.speaker === 'string') checkSpeaker(change.speaker, 'speaker');
  const changed = mergePatch<ScriptedLine>(line, rest, UNSAID_OF_LINE);
  const before = fittingTo(changed.text, line.direction);
  if (direction === undefined) return { ...changed, direction: before };
  const merged = direction === null ? {} : { ...before, ...direction };
  const fields = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  return {
    ...changed,
    direction: fields as LineDirection,
    directed_by: direction === null ? null : 'writer',
  };
}

function checkTitle(title: string): string {
  const plain = title.trim();
  if (plain !== '' && plain.length <= LONGEST_TITLE) return plain;
  throw new ApiError('invalid_request', `title must have 1 to ${LONGEST_TITLE} characters.`, {
    param: 'title',
  });
}
