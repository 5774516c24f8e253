import Type, { type Static } from 'typebox';

export const CrawlData = Type.Object({
  id: Type.String(),
  object: Type.Literal('knowledgebase.crawl'),
  knowledge_base_id: Type.String(),
  url: Type.String(),
  status: Type.Literal('indexed'),
  discovered: Type.Integer(),
  registered: Type.Integer({ description: 'The number of pages added as documents.' }),
  documents: Type.Record(Type.String(), Type.Integer(), {
    description: 'The number of documents by status.',
  }),
  created_at: Type.Integer(),
});

export const CRAWL_INDEXED: Static<typeof CrawlData> = {
  id: 'crawl_4fT9bQw2LmXc7RzK1hVd',
  object: 'knowledgebase.crawl',
  knowledge_base_id: 'kb_4fT9bQw2LmXc7RzK1hVd',
  url: 'https://docs.example.com/',
  status: 'indexed',
  discovered: 41,
  registered: 38,
  documents: { indexed: 37, failed: 1 },
  created_at: 1_795_348_700_000,
};
