import type { Readable } from 'node:stream';
import type { MultipartFile } from '@fastify/multipart';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { ApiError } from '../../foundation/platform/errors.ts';
import { storageFaultOf } from '../../foundation/platform/storage-fault.ts';
import { shownName } from './rest/field-name.ts';
import { closed } from './rest/schema-rules.ts';
import { checkStorable, holdsNul, noNul } from './rest/unstorable.ts';
import { validationError } from './rest/validation-error.ts';

export interface FormFile {
  readonly field: string;
  /** As the client names it: never trusted, never part of a path. */
  readonly name: string;
  readonly type: string;
  /** Fails when the client leaves; ends early, never silently, at the limit. */
  readonly bytes: Readable;
}

export interface FormReading<Stored> {
  /** The most that one file may hold. */
  readonly maxBytes: number;
  /** Takes the bytes of one file to where they are kept; must read them all, and leave nothing behind when it rejects. */
  readonly store: (file: FormFile) => Promise<Stored>;
  /** Takes a stored file back, when a later part is wrong or the client has left. */
  readonly discard: (stored: Stored) => Promise<void>;
  /** Whether text fields that the form does not know are let go, judged by those that it does; absent: they are an error. */
  readonly ignoresUnknown?: (fields: Readonly<Record<string, unknown>>) => boolean;
}

export interface FormContent<Fields, Stored> {
  readonly fields: Fields;
  readonly files: Readonly<Record<string, Stored>>;
  /** Names of unknown fields that were let go. */
  readonly ignored: readonly string[];
}

export interface Form<S extends TObject> {
  /** For `config.form`: fields and files together, as the OpenAPI description shows them. */
  readonly schema: TSchema;
  read<Stored>(
    request: FastifyRequest,
    reading: FormReading<Stored>,
  ): Promise<FormContent<Static<S>, Stored>>;
}

type FileRules = Readonly<Record<string, { readonly required: boolean; readonly description?: string }>>;

const ajv = new Ajv2020({ coerceTypes: 'array', useDefaults: true, verbose: true, strict: false });
formats.default(ajv);

/** A multipart form: text fields checked by one schema, files handed on as they arrive. */
export function defineForm<S extends TObject>(fields: S, files: FileRules): Form<S> {
  const validate = ajv.compile(closed(fields) as object);
  return {
    schema: describe(fields, files),
    read: (request, reading) => new FormReader(fields, files, validate, reading).read(request),
  } as Form<S>;
}

function describe(fields: TObject, files: FileRules): TSchema {
  const properties: Record<string, TSchema> = { ...fields.properties };
  for (const [name, { description }] of Object.entries(files)) {
    properties[name] = Type.Unsafe<unknown>({
      type: 'string',
      contentMediaType: 'application/octet-stream',
      format: 'binary',
      ...(description ? { description } : {}),
    });
  }
  const required = Object.keys(files).filter((name) => files[name]!.required);
  return {
    type: 'object',
    properties,
    required: [...((fields as { required?: string[] }).required ?? []), ...required],
    additionalProperties: false,
  } as unknown as TSchema;
}

/** Of the whole body, where the client says it: a file in it is no larger. */
export function declaredBytes(request: FastifyRequest): number | undefined {
  const said = Number(request.headers['content-length']);
  return Number.isSafeInteger(said) && said > 0 ? said : undefined;
}

class FormReader<Stored> {
  readonly #schema: TObject;
  readonly #rules: FileRules;
  readonly #validate: ValidateFunction;
  readonly #reading: FormReading<Stored>;
  readonly #values: Record<string, unknown> = Object.create(null);
  readonly #stored: Record<string, Stored> = Object.create(null);
  readonly #unknown = new Set<string>();

  constructor(schema: TObject, rules: FileRules, validate: ValidateFunction, reading: FormReading<Stored>) {
    this.#schema = schema;
    this.#rules = rules;
    this.#validate = validate;
    this.#reading = reading;
  }

  async read(request: FastifyRequest): Promise<FormContent<unknown, Stored>> {
    if (!request.isMultipart()) {
      throw new ApiError('unsupported_media_type', 'This route reads multipart/form-data.');
    }
    if (!/boundary=/i.test(request.headers['content-type'] ?? '')) {
      throw new ApiError('invalid_request', 'The Content-Type of a form names its boundary.');
    }
    try {
      await this.#parts(request);
      this.#check();
      return {
        fields: this.#values,
        files: this.#stored,
        ignored: [...this.#unknown].map(shownName),
      };
    } catch (error) {
      await Promise.allSettled(Object.values(this.#stored).map((one) => this.#reading.discard(one)));
      throw error;
    }
  }

  async #parts(request: FastifyRequest): Promise<void> {
    const parts = request.parts({ limits: { fileSize: this.#reading.maxBytes } });
    for (;;) {
      const { value: part, done } = await parts.next().catch(malformed);
      if (done) return;
      if (part.type === 'file') await this.#file(part);
      else this.#field(part.fieldname, part.value, part.valueTruncated);
    }
  }

  async #file(part: MultipartFile): Promise<void> {
    const { fieldname: field } = part;
    if (!Object.hasOwn(this.#rules, field)) throw unknownField(field);
    if (field in this.#stored) throw invalid(field, `${field} may be sent once.`);
    const given = { field, name: part.filename ?? '', type: part.mimetype, bytes: part.file };
    // The parser would read the rest of the part, however long, before it ends the file.
    part.file.once('limit', () => part.file.destroy(this.#tooLarge(field)));
    const stored = await this.#reading.store(given).catch((error: unknown) => {
      if (part.file.truncated) throw this.#tooLarge(field);
      // A full disk ends the reading of the bytes too: the client has sent them well.
      if (storageFaultOf(error)) throw error;
      // The bytes ended before the part did: not the fault of whoever stores them.
      if (part.file.errored) throw new ApiError('invalid_request', `${field} was cut off.`, { cause: error });
      throw error;
    });
    this.#stored[field] = stored;
    if (part.file.truncated) throw this.#tooLarge(field);
  }

  #tooLarge(field: string): ApiError {
    const message = `${field} holds more than ${this.#reading.maxBytes} bytes.`;
    return new ApiError('payload_too_large', message, { param: field });
  }

  #field(sent: string, value: unknown, truncated: boolean): void {
    const { name, member } = partsOf(sent);
    if (Object.hasOwn(this.#rules, name)) throw invalid(name, `${name} is a file: send it with a file name.`);
    const property = this.#schema.properties[name] as { type?: string } | undefined;
    if (property === undefined || !Object.hasOwn(this.#schema.properties, name)) {
      if (this.#reading.ignoresUnknown === undefined) throw unknownField(sent);
      this.#unknown.add(sent);
      return;
    }
    if (truncated) throw invalid(name, `${name} is too long.`);
    if (holdsNul(value)) throw noNul(name);
    const before = this.#values[name];
    if (member !== null) {
      this.#member(name, member, value);
      return;
    }
    const read = readAs(property.type, value);
    if (before === undefined) this.#values[name] = read;
    else if (property.type === 'array') this.#values[name] = [before, read].flat();
    else throw invalid(name, `${name} may be sent once.`);
  }

  /** `name[member]`, as some clients send an object. */
  #member(name: string, member: string, value: unknown): void {
    const before = this.#values[name] ?? {};
    if (typeof before !== 'object' || Array.isArray(before)) throw invalid(name, `${name} may be sent once.`);
    this.#values[name] = { ...before, [member]: value };
  }

  #check(): void {
    const [unknown] = this.#unknown;
    if (unknown !== undefined && !this.#reading.ignoresUnknown?.(this.#values)) throw unknownField(unknown);
    for (const [name, { required }] of Object.entries(this.#rules)) {
      if (required && !(name in this.#stored)) throw invalid(name, `${name} is required.`);
    }
    if (!this.#validate(this.#values)) throw validationError(this.#validate.errors as never, 'body');
  }
}

/** Whatever the parser of the form says without a code of its own is about the bytes that were sent. */
function malformed(error: unknown): never {
  if (error instanceof Error && !('code' in error)) {
    throw new ApiError('invalid_request', 'The form is not well-formed.', { cause: error });
  }
  throw error;
}

/** `name`, `name[]` of a list, or `name[member]` of an object. */
function partsOf(sent: string): { readonly name: string; readonly member: string | null } {
  const [, name = sent, member = ''] = /^([^[\]]+)\[([A-Za-z_]\w*)?\]$/.exec(sent) ?? [];
  return { name, member: member === '' || member === '__proto__' ? null : member };
}

function readAs(type: string | undefined, value: unknown): unknown {
  if (type === 'array' || type === 'object') return fromJson(value);
  // Clients in Python write `True`.
  return type === 'boolean' && typeof value === 'string' ? value.toLowerCase() : value;
}

/** Lists and objects may be sent as JSON text. */
function fromJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  let read: unknown;
  try {
    read = JSON.parse(value);
  } catch {
    return value;
  }
  checkStorable(read, value);
  return read;
}

const invalid = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });
const unknownField = (name: string): ApiError =>
  invalid(shownName(name), `Unknown field ${shownName(name)}.`);

/** The body may be a form instead; only JSON is for the validator. */
export const unlessForm = (app: FastifyInstance) => (route: { httpPart?: string; schema: unknown }) => {
  const compile = app.validatorCompiler as NonNullable<typeof app.validatorCompiler>;
  const validate = compile(route as Parameters<typeof compile>[0]);
  if (route.httpPart !== 'body') return validate;
  return (data: unknown) => {
    if (data === undefined || data === null) return true;
    const outcome = validate(data);
    return outcome === false ? { error: validate.errors } : outcome;
  };
};
