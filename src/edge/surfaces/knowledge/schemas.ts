import Type, { type Static } from 'typebox';
import {
  CRAWL_STATES,
  DOCUMENT_SOURCES,
  DOCUMENT_STATES,
  KNOWLEDGE_LANGUAGES,
  MAX_TEXT_CHARACTERS,
} from '../../../conversation/knowledge/index.ts';
import { CreatedBy } from '../../../foundation/events/index.ts';
import { mergePatchOf } from '../../../foundation/platform/merge-patch.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import { MAX_URL_CHARACTERS } from '../../../foundation/platform/url-gate/index.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const Id = Type.String({ maxLength: 128 });
export const BaseParams = Type.Object({ id: Id });
export const DocumentParams = Type.Object({ id: Id, doc_id: Id });
export const CrawlParams = Type.Object({ id: Id, crawl_id: Id });
export type BaseParams = Static<typeof BaseParams>;
export type DocumentParams = Static<typeof DocumentParams>;

const Name = Type.String({ minLength: 1, maxLength: 200 });
const Description = nullable(Type.String({ maxLength: 2000 }));
const Language = Type.Enum([...KNOWLEDGE_LANGUAGES], {
  description:
    'The language of the documents, used for stemming in keyword search and to choose the embedding model.',
});

export const NewBase = Type.Object(
  {
    name: Name,
    description: Type.Optional(Description),
    language: Type.Optional(Language),
  },
  { additionalProperties: false },
);
export const BaseChange = mergePatchOf({ name: Name, description: Description }, ['name']);
export const Base = Type.Object({
  id: Type.String(),
  object: Type.Literal('knowledge_base'),
  name: Type.String(),
  description: nullable(Type.String()),
  language: Language,
  documents: Type.Integer(),
  passages: Type.Integer({ description: 'The number of searchable passages.' }),
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
});
const listOf = <T extends Parameters<typeof Type.Array>[0]>(schema: T) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(schema),
    next_cursor: nullable(Type.String()),
  });
export const BaseList = listOf(Base);

const KnowledgeIds = Type.Array(Type.String({ maxLength: 128 }), { maxItems: 20 });
export const DefaultsBody = Type.Object(
  { knowledge_base_ids: KnowledgeIds },
  { additionalProperties: false },
);
export const Defaults = Type.Object({
  object: Type.Literal('knowledge.defaults'),
  knowledge_base_ids: Type.Array(Type.String()),
});

const Title = Type.String({ minLength: 1, maxLength: 300 });
const RefreshHours = Type.Integer({
  minimum: 1,
  maximum: 8760,
  description: 'Hours between refreshes: the URL is fetched again and re-indexed if its content has changed.',
});
export const FormFields = Type.Object({ title: Type.Optional(Title) });
export const NewDocument = Type.Object(
  {
    url: Type.Optional(
      Type.String({ maxLength: MAX_URL_CHARACTERS, description: 'HTTPS URL of a page or file.' }),
    ),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TEXT_CHARACTERS })),
    title: Type.Optional(Title),
    refresh_hours: Type.Optional(RefreshHours),
  },
  { additionalProperties: false },
);
export type NewDocument = Static<typeof NewDocument>;
export const Document = Type.Object({
  id: Type.String(),
  object: Type.Literal('knowledge.document'),
  knowledge_base_id: Type.String(),
  source: Type.Enum([...DOCUMENT_SOURCES]),
  title: Type.String(),
  url: nullable(Type.String()),
  file_name: nullable(Type.String()),
  media_type: Type.String(),
  bytes: Type.Integer(),
  status: Type.Enum([...DOCUMENT_STATES]),
  error: nullable(Type.String({ description: 'Why the processing failed.' })),
  refresh_hours: nullable(Type.Integer()),
  crawl_id: nullable(Type.String()),
  passages: Type.Integer(),
  characters: Type.Integer(),
  fetched_at: nullable(Type.Integer()),
  indexed_at: nullable(Type.Integer()),
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
});
export const DocumentList = listOf(Document);
export const DocumentQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum([...DOCUMENT_STATES])),
  crawl_id: Type.Optional(Id),
});

export const QueryBody = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 2000 }),
    top_k: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 5 })),
  },
  { additionalProperties: false },
);
export const Passage = Type.Object({
  document_id: Type.String(),
  title: Type.String(),
  url: nullable(Type.String()),
  heading: nullable(Type.String({ description: 'The headings above the passage.' })),
  page: nullable(Type.Integer({ description: 'The page number, for a PDF.' })),
  text: Type.String(),
  span: Type.Object(
    { start: Type.Integer(), end: Type.Integer() },
    { description: 'Character offsets in the document’s text.' },
  ),
  score: Type.Number({
    description: 'Relevance from 0 to 1; 1 is the top result both by keywords and by meaning.',
  }),
});
export const QueryAnswer = Type.Object({
  object: Type.Literal('knowledge.query'),
  query: Type.String(),
  passages: Type.Array(Passage),
});

export const Deleted = Type.Object({ id: Type.String(), object: Type.String(), deleted: Type.Literal(true) });

const Patterns = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 50 });
export const NewCrawl = Type.Object(
  {
    url: Type.String({ maxLength: MAX_URL_CHARACTERS, description: 'The start URL of the website.' }),
    max_pages: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
    include: Type.Optional(Patterns),
    exclude: Type.Optional(Patterns),
    refresh_hours: Type.Optional(RefreshHours),
  },
  { additionalProperties: false },
);
export const CrawlQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum([...CRAWL_STATES])),
});
export type CrawlQuery = Static<typeof CrawlQuery>;

export const Crawl = Type.Object({
  id: Type.String(),
  object: Type.Literal('knowledge.crawl'),
  knowledge_base_id: Type.String(),
  url: Type.String(),
  max_pages: Type.Integer(),
  include: Type.Array(Type.String()),
  exclude: Type.Array(Type.String()),
  refresh_hours: nullable(Type.Integer()),
  status: Type.Enum([...CRAWL_STATES]),
  error: nullable(Type.String()),
  discovered: Type.Integer({ description: 'The number of pages found.' }),
  registered: Type.Integer({ description: 'The number of pages added as documents.' }),
  documents: Type.Record(Type.String(), Type.Integer(), {
    description: 'The number of documents by status.',
  }),
  created_by: CreatedBy,
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
});
export const CrawlList = listOf(Crawl);

export const Gap = Type.Object({
  id: Type.String(),
  object: Type.Literal('knowledge.gap'),
  question: Type.String(),
  language: Type.String(),
  call_id: Type.String(),
  created_at: Type.Integer(),
});
export const GapList = listOf(Gap);
