import { MetadataEditor } from './metadata-editor.tsx'
import { isBlank, type MetadataRow } from './metadata-rows.ts'

interface NewMetadataProps {
  rows: readonly MetadataRow[]
  onChange: (rows: MetadataRow[]) => void
  isChecked: boolean
}

/** Metadata of what is being created, folded away until someone wants some. */
export function NewMetadata({ rows, ...props }: NewMetadataProps) {
  const count = rows.filter((row) => !isBlank(row)).length
  return (
    <details>
      <summary className="w-fit text-[0.8125rem] font-medium">
        Metadata{count > 0 ? ` (${count})` : ' (optional)'}
      </summary>
      <p className="mt-1 mb-2.5 text-xs text-muted">Lists are filtered by it, and no decision looks at it.</p>
      <MetadataEditor rows={rows} {...props} />
    </details>
  )
}
