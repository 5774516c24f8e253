import type { Readable } from 'node:stream';
import type { MultipartFile } from '@fastify/multipart';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { ApiError } from '../../foundation/platform/errors.ts';
import { OWN_SCHEMAS } from '../../foundation/platform/own-schemas.ts';
import { printableFieldName } from '../../foundation/platform/printable.ts';
import { storageFaultOf } from '../../foundation/platform/storage-fault.ts';
import { closed } from './rest/schema-rules.ts';
import { checkStorable, containsNul, nulCharacterError } from './rest/storable-input.ts';
import { validationError } from './rest/validation-error.ts';

export interface FormFile {
  readonly field: string;
  /** The client chose the name: it is untrusted, and never becomes part of a path. */
  readonly name: string;
  readonly type: string;
  /** The stream fails when the client disconnects. It ends early at the size limit, and `read` then rejects. */
  readonly bytes: Readable;
}

export interface FormReadOptions<Stored> {
  readonly maxBytes: number;
  /** Stores one file. It must read all bytes, and must remove what it wrote when it rejects. */
  readonly store: (file: FormFile) => Promise<Stored>;
  /** Deletes a stored file when a later part is invalid or the client has disconnected. */
  readonly discard: (stored: Stored) => Promise<void>;
  /** Decides from the known fields whether unknown text fields are ignored. Without it they are an error. */
  readonly ignoresUnknown?: (fields: Readonly<Record<string, unknown>>) => boolean;
  readonly lastWins?: boolean;
}

export interface FormContent<Fields, Stored> {
  readonly fields: Fields;
  readonly files: Readonly<Record<string, Stored>>;
  /** All files of each field, in the order in which they came. */
  readonly uploads: Readonly<Record<string, readonly Stored[]>>;
  readonly ignored: readonly string[];
}

export interface Form<S extends TObject> {
  readonly schema: TSchema;
  read<Stored>(
    request: FastifyRequest,
    reading: FormReadOptions<Stored>,
  ): Promise<FormContent<Static<S>, Stored>>;
}

interface FileRule {
  readonly required: boolean;
  readonly description?: string;
  /** How many files the field takes; the default is one. */
  readonly most?: number;
}
type FileRules = Readonly<Record<string, FileRule>>;

const ajv = new Ajv2020({
  ...OWN_SCHEMAS,
  coerceTypes: 'array',
  useDefaults: true,
  verbose: true,
  strict: false,
});
formats.default(ajv);

export function defineForm<S extends TObject>(fields: S, files: FileRules): Form<S> {
  const validate = ajv.compile(closed(fields) as object);
  return {
    schema: describe(fields, files),
    read: (request, reading) => new FormReader(fields, files, validate, reading).read(request),
  } as Form<S>;
}

function describe(fields: TObject, files: FileRules): TSchema {
  const properties: Record<string, TSchema> = { ...fields.properties };
  for (const [name, { description, most = 1 }] of Object.entries(files)) {
    const about = description ? { description } : {};
    const file = { type: 'string', contentMediaType: 'application/octet-stream', format: 'binary' };
    properties[name] = Type.Unsafe<unknown>(
      most === 1 ? { ...file, ...about } : { type: 'array', items: file, maxItems: most, ...about },
    );
  }
  const required = Object.keys(files).filter((name) => files[name]!.required);
  return {
    type: 'object',
    properties,
    required: [...((fields as { required?: string[] }).required ?? []), ...required],
    additionalProperties: false,
  } as unknown as TSchema;
}

/** Returns the declared length of the whole body, an upper bound for the size of every file in it. */
export function declaredBytes(request: FastifyRequest): number | undefined {
  const said = Number(request.headers['content-length']);
  return Number.isSafeInteger(said) && said > 0 ? said : undefined;
}

class FormReader<Stored> {
  readonly #schema: TObject;
  readonly #rules: FileRules;
  readonly #validate: ValidateFunction;
  readonly #reading: FormReadOptions<Stored>;
  readonly #values: Record<string, unknown> = Object.create(null);
  readonly #stored: Record<string, Stored[]> = Object.create(null);
  readonly #unknown = new Set<string>();

  constructor(
    schema: TObject,
    rules: FileRules,
    validate: ValidateFunction,
    reading: FormReadOptions<Stored>,
  ) {
    this.#schema = schema;
    this.#rules = rules;
    this.#validate = validate;
    this.#reading = reading;
  }

  async read(request: FastifyRequest): Promise<FormContent<unknown, Stored>> {
    if (!request.isMultipart()) {
      throw new ApiError('unsupported_media_type', 'This route requires multipart/form-data.');
    }
    if (!/boundary=/i.test(request.headers['content-type'] ?? '')) {
      throw new ApiError('invalid_request', 'The Content-Type of a multipart form must name its boundary.');
    }
    try {
      await this.#parts(request);
      this.#check();
      return {
        fields: this.#values,
        files: Object.fromEntries(Object.entries(this.#stored).map(([name, [first]]) => [name, first!])),
        uploads: this.#stored,
        ignored: [...this.#unknown].map(printableFieldName),
      };
    } catch (error) {
      await Promise.allSettled(
        Object.values(this.#stored)
          .flat()
          .map((one) => this.#reading.discard(one)),
      );
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
    const before = this.#stored[field] ?? [];
    const { most = 1 } = this.#rules[field]!;
    if (before.length >= most) throw invalid(field, tooMany(field, most));
    const given = { field, name: part.filename ?? '', type: part.mimetype, bytes: part.file };
    // Without this, the parser reads the rest of an oversized part before it ends the file.
    part.file.once('limit', () => part.file.destroy(this.#tooLarge(field)));
    const stored = await this.#reading.store(given).catch((error: unknown) => {
      if (part.file.truncated) throw this.#tooLarge(field);
      // A full disk errors the stream as well, and is not the client's fault.
      if (storageFaultOf(error)) throw error;
      // The stream ended before the part did, which the store cannot have caused.
      if (part.file.errored)
        throw new ApiError('invalid_request', `The upload of ${field} ended before it was complete.`, {
          cause: error,
        });
      throw error;
    });
    this.#stored[field] = [...before, stored];
    if (part.file.truncated) throw this.#tooLarge(field);
  }

  #tooLarge(field: string): ApiError {
    const message = `${field} is larger than ${this.#reading.maxBytes} bytes.`;
    return new ApiError('payload_too_large', message, { param: field });
  }

  #field(sent: string, value: unknown, truncated: boolean): void {
    const { name, member } = partsOf(sent);
    if (Object.hasOwn(this.#rules, name))
      throw invalid(name, `${name} must be sent as a file, with a file name.`);
    const property = this.#schema.properties[name] as { type?: string } | undefined;
    if (property === undefined || !Object.hasOwn(this.#schema.properties, name)) {
      if (this.#reading.ignoresUnknown === undefined) throw unknownField(sent);
      this.#unknown.add(sent);
      return;
    }
    if (truncated) throw invalid(name, `${name} is too long.`);
    if (containsNul(value)) throw nulCharacterError(name);
    const before = this.#values[name];
    if (member !== null) {
      this.#member(name, member, value);
      return;
    }
    const read = readAs(property.type, value);
    if (before === undefined) this.#values[name] = read;
    else if (property.type === 'array') this.#values[name] = [before, read].flat();
    else if (this.#reading.lastWins === true) this.#values[name] = read;
    else throw invalid(name, `${name} was sent more than once; send it once.`);
  }

  #member(name: string, member: string, value: unknown): void {
    const before = this.#values[name] ?? {};
    if (typeof before !== 'object' || Array.isArray(before))
      throw invalid(name, `${name} was sent more than once; send it once.`);
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

/** The parser's errors without a code are about malformed bytes; the others keep their code. */
function malformed(error: unknown): never {
  if (error instanceof Error && !('code' in error)) {
    throw new ApiError('invalid_request', 'The multipart form is malformed.', { cause: error });
  }
  throw error;
}

function partsOf(sent: string): { readonly name: string; readonly member: string | null } {
  const [, name = sent, member = ''] = /^([^[\]]+)\[([A-Za-z_]\w*)?\]$/.exec(sent) ?? [];
  return { name, member: member === '' || member === '__proto__' ? null : member };
}

function readAs(type: string | undefined, value: unknown): unknown {
  if (type === 'array' || type === 'object') return fromJson(value);
  // Python clients write `True`.
  return type === 'boolean' && typeof value === 'string' ? value.toLowerCase() : value;
}

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
const tooMany = (field: string, most: number): string =>
  most === 1
    ? `${field} was sent more than once; send it once.`
    : `${field} was sent more than ${most} times.`;
const unknownField = (name: string): ApiError =>
  invalid(printableFieldName(name), `Unknown field ${printableFieldName(name)}.`);

/** Skips the validation of a form body, because the form's own schema checks it. */
export const skipBodyOfForms = (app: FastifyInstance) => (route: { httpPart?: string; schema: unknown }) => {
  const compile = app.validatorCompiler as NonNullable<typeof app.validatorCompiler>;
  const validate = compile(route as Parameters<typeof compile>[0]);
  if (route.httpPart !== 'body') return validate;
  return (data: unknown) => {
    if (data === undefined || data === null) return true;
    const outcome = validate(data);
    return outcome === false ? { error: validate.errors } : outcome;
  };
};
