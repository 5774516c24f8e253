import { entered, get, post } from '../data/api.ts';

/** A number of the live environment costs money, so that nobody takes one as an example. */
export const isTrial = (): boolean => entered()?.environment !== 'live';

export async function takeFirstNumber(agentId?: string): Promise<void> {
  const { data } = await get('/v1/telephony/available-numbers?country=US&limit=1');
  const answered = agentId === undefined ? {} : { agent_id: agentId };
  await post('/v1/telephony/numbers', { phone_number: data[0].phone_number, ...answered });
}
