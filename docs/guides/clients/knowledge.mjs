// A knowledge base, filled and asked: node knowledge.mjs
import { poll, Trunkline } from 'trunkline-client';

const { rest } = new Trunkline({ baseUrl: process.env.TRUNKLINE_URL, apiKey: process.env.TRUNKLINE_KEY });
const { id } = await rest.postV1Knowledgebases({ body: { name: 'Front desk' } });
const text = '# Opening hours\n\nWe open at nine and close at five. On Sundays we are closed.';
const document = await rest.postV1KnowledgebasesIdDocuments({ path: { id }, body: { text, title: 'Opening hours' } });
const read = await poll(
  () => rest.getV1KnowledgebasesIdDocumentsDocId({ path: { id, doc_id: document.id } }),
  ({ status }) => status === 'indexed' || status === 'failed',
  { everyMs: 200 },
);
const { passages } = await rest.postV1KnowledgebasesIdQuery({ path: { id }, body: { query: 'When do you open?' } });
console.log(`${read.status}: ${passages[0]?.text}`);
