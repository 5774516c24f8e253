import { type MemberRole, ROLES } from '../../foundation/access/index.ts';
import { COMMAND_LINE_ACTOR } from '../../foundation/audit/index.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { CliContext } from './command.ts';
import { usageError, withCoreServices } from './core-services.ts';

export interface InviteOptions {
  readonly org: string;
  readonly role: string;
}

const isRole = (text: string): text is MemberRole => (ROLES as readonly string[]).includes(text);
const ADDRESS = /^[^\s@]+@[^\s@]+$/;

export const invite = (context: CliContext, email: string, { org, role }: InviteOptions): Promise<void> =>
  withCoreServices(context, async ({ access, storage }) => {
    if (!ADDRESS.test(email)) throw usageError(`${email} is not a valid e-mail address.`);
    if (!isRole(role))
      throw usageError(`--role must be one of ${ROLES.toReversed().join(', ')}, not ${role}.`);
    const found = await storage.db.selectFrom('organizations').select('id').where('id', '=', org).execute();
    if (found.length === 0) throw new ApiError('not_found', `There is no organization ${org}.`);
    const { token } = await access.invitations.inviteTo(
      org,
      { email, role, projectIds: [] },
      COMMAND_LINE_ACTOR,
    );
    const { baseUrl, port } = context.config();
    context.error(`${email} joins ${org} as ${role} by this link, which works once, within a week:`);
    context.out(`${baseUrl ?? `http://127.0.0.1:${port}`}/auth/invitations/${token}`);
  });
