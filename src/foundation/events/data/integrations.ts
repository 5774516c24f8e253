import Type, { type Static } from 'typebox';

export const TestEventData = Type.Object({
  destination_id: Type.String(),
  message: Type.String(),
});

export const TEST: Static<typeof TestEventData> = {
  destination_id: 'dst_4fT9bQw2LmXc7RzK1hVd',
  message: 'This is a test of your destination. Nothing happened.',
};
