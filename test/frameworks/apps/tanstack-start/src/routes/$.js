import { createFileRoute } from '@tanstack/react-router'
import { answer } from '../../contract-app.js'

export const Route = createFileRoute('/$')({
  server: { handlers: { ANY: ({ request }) => answer(request) } },
})
