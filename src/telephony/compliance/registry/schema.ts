import Type, { type Static } from 'typebox';
import { CASE_KINDS, COUNTRIES, PII_CLASSES } from '../contract.ts';

export const FORMATS = [
  'text',
  'name',
  'company',
  'address',
  'date',
  'phone',
  'account_number',
  'pin',
  'plan',
  'company_number',
  'abn',
  'gstin',
  'pan',
  'cin',
] as const;
export type FormatName = (typeof FORMATS)[number];

export const MATCH_KINDS = ['name', 'address', 'number', 'date', 'part'] as const;

const closed = { additionalProperties: false } as const;
const Word = Type.String({ pattern: '^[a-z0-9_-]+$' });
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
const Share = Type.Number({ minimum: 0, maximum: 1 });
const Count = Type.Integer({ minimum: 1 });

export const Processing = Type.Object(
  {
    profile: Word,
    thresholds: Type.Object({ field: Share, name: Share, address: Share }, closed),
    retry: Type.Object({ scan: Count, extract: Count }, closed),
    parallelism: Count,
    wall_clock_s: Count,
    cost: Type.Object({ text_page_micros: Count, image_page_micros: Count, max_micros: Count }, closed),
    retention: Type.Object({ document_days: Type.Integer({ minimum: 0 }) }, closed),
  },
  closed,
);
export type Processing = Static<typeof Processing>;

const Labels = Type.Array(Type.String({ minLength: 2 }), { minItems: 1 });
const FieldRule = Type.Object(
  {
    labels: Labels,
    format: Type.Enum([...FORMATS]),
    pii: Type.Enum([...PII_CLASSES]),
  },
  closed,
);

export const Shared = Type.Object(
  {
    version: Type.String({ minLength: 1 }),
    compiled: Day,
    notice: Type.String({ minLength: 1 }),
    processing: Processing,
    files: Type.Object({ mime_types: Type.Array(Type.String(), { minItems: 1 }), max_bytes: Count }, closed),
    fields: Type.Record(Type.String(), FieldRule),
    documents: Type.Record(
      Type.String(),
      Type.Object(
        {
          label: Type.String({ minLength: 1 }),
          labels: Type.Optional(Type.Record(Type.String(), Labels)),
        },
        closed,
      ),
    ),
    attestations: Type.Record(Type.String(), Type.String({ minLength: 1 })),
  },
  closed,
);
export type Shared = Static<typeof Shared>;

/** A field is required where another has this value: `number_type` of the case, or a field of the same document. */
export const Condition = Type.Object(
  { field: Word, equals: Type.String({ minLength: 1 }), source: Word },
  closed,
);
export type Condition = Static<typeof Condition>;
export const OF_THE_CASE = 'number_type';

const Need = Type.Union([
  Type.Enum(['required', 'optional']),
  Type.Object(
    {
      required: Type.Boolean(),
      max_age_days: Type.Optional(Count),
      required_when: Type.Optional(Condition),
    },
    closed,
  ),
]);
const DocumentRule = Type.Object(
  {
    type: Word,
    required: Type.Optional(Type.Boolean()),
    /** One document is required of those in a market that name the same group. */
    one_of: Type.Optional(Word),
    fields: Type.Record(Type.String(), Need),
  },
  closed,
);
const Path = Type.String({ pattern: '^[a-z_]+\\.[a-z_]+$' });
export const MatchRule = Type.Object(
  {
    id: Word,
    kind: Type.Enum([...MATCH_KINDS]),
    left: Path,
    right: Path,
    within_days: Type.Optional(Count),
  },
  closed,
);
export type MatchRule = Static<typeof MatchRule>;

const Market = Type.Object(
  {
    kind: Type.Enum([...CASE_KINDS]),
    number_types: Type.Array(Word, { minItems: 1 }),
    capabilities: Type.Array(Word, { minItems: 1 }),
    sources: Type.Array(Word, { minItems: 1 }),
    manual_review: Type.Optional(Type.Boolean()),
    documents: Type.Array(DocumentRule),
    matches: Type.Optional(Type.Array(MatchRule)),
    attestations: Type.Array(Word, { minItems: 1 }),
  },
  closed,
);
export type Market = Static<typeof Market>;

export const CountryRules = Type.Object(
  {
    country: Type.Enum([...COUNTRIES]),
    /** A number is ordered once a case that names it was approved. */
    case_before_order: Type.Optional(Type.Boolean()),
    dates: Type.Enum(['day_first', 'month_first']),
    sources: Type.Record(
      Type.String(),
      Type.Object(
        { title: Type.String({ minLength: 1 }), url: Type.String({ pattern: '^https://' }), date: Day },
        closed,
      ),
    ),
    markets: Type.Array(Market, { minItems: 1 }),
  },
  closed,
);
export type CountryRules = Static<typeof CountryRules>;
