import { describe, expect, it } from 'vitest';
import { ConversationHistory } from '../../../src/conversation/session/conversation-history.ts';

const times = { startMs: 0, endMs: 0 };

function talk(questions: number, each: number): ConversationHistory {
  const conversation = new ConversationHistory();
  for (let at = 0; at < questions; at++) {
    conversation.addUserTurn({ turnId: 2 * at, text: `question ${at}`, ...times });
    const call = { id: `c${at}`, name: 'look', arguments: '{}' };
    const round = { calls: [call], results: [{ callId: call.id, name: 'look', content: '1' }] };
    const entry = { turnId: 2 * at + 1, text: `answer ${at}`, ...times, interrupted: false };
    conversation.addAgentTurn(entry, at % each === 0 ? [round] : []);
  }
  return conversation;
}

describe('what the brain is told of a long call', () => {
  it.each([1, 2, 3, 5, 7])('begins with a question, with a tool in every turn of %i', (each) => {
    for (let questions = 15; questions < 70; questions++) {
      const messages = talk(questions, each).messages();
      expect(messages[0]?.role).toBe('user');
      expect(messages.at(-1)?.content).toBe(`answer ${questions - 1}`);
      expect(messages.length).toBeLessThanOrEqual(80);
      if (questions > 40) expect(messages.length).toBeGreaterThan(70);
    }
  });

  it('is all of it while it is short, a greeting first', () => {
    const conversation = new ConversationHistory();
    conversation.addAgentTurn({ turnId: 0, text: 'Hello.', ...times, interrupted: false }, []);
    conversation.addUserTurn({ turnId: 1, text: 'Hi', ...times });
    expect(conversation.messages().map(({ content }) => content)).toEqual(['Hello.', 'Hi']);
  });
});
