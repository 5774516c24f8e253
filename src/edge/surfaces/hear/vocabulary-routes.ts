import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { VocabularyStore } from '../../../speech/transcription/index.ts';

// Control characters are rejected, because they would disturb anyone who reads the term back.
const Spoken = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
});

const Active = Type.Object({ active: Type.Boolean() });
const VocabularyBody = Type.Object({
  terms: Type.Array(
    Type.Object({
      term: Spoken,
      sounds_like: Type.Optional(
        Type.Array(Spoken, {
          maxItems: 10,
          description: 'Alternative spellings that reflect how the term is pronounced.',
        }),
      ),
    }),
    { maxItems: 200 },
  ),
  batch: Active,
  streaming: Active,
});
type VocabularyBody = Static<typeof VocabularyBody>;

const Vocabulary = Type.Object({ object: Type.Literal('hear.vocabulary'), ...VocabularyBody.properties });

const tags = ['Hear'];
const config = { access: { kind: 'key', scope: 'hear:configure' } } as const;

export function vocabularyRoutes(app: FastifyInstance, vocabulary: VocabularyStore): void {
  const show = async (scope: TenantScope) => ({
    object: 'hear.vocabulary' as const,
    ...(await vocabulary.get(scope)),
  });

  app.get('/v1/hear/vocabulary', {
    config,
    schema: { summary: 'Get the vocabulary', tags, response: { 200: Vocabulary } },
    handler: async (request) => show(request.tenantScope()),
  });

  app.put<{ Body: VocabularyBody }>('/v1/hear/vocabulary', {
    config,
    schema: {
      summary: 'Replace the vocabulary',
      description:
        'Terms bias the spelling of recognized words, in requests (`batch`) and in new streams (`streaming`). They never affect the choice of the language or the script.',
      tags,
      body: VocabularyBody,
      response: { 200: Vocabulary },
    },
    handler: async (request) => {
      rejectDuplicates(request.body.terms.map(({ term }) => term));
      const scope = request.tenantScope();
      await vocabulary.put(scope, request.body);
      return show(scope);
    },
  });
}

function rejectDuplicates(terms: readonly string[]): void {
  const seen = new Set<string>();
  for (const [index, term] of terms.entries()) {
    const plain = term.trim().toLowerCase();
    if (seen.has(plain)) {
      throw new ApiError('invalid_request', `The term ${JSON.stringify(term)} is listed twice.`, {
        param: `terms.${index}.term`,
      });
    }
    seen.add(plain);
  }
}
