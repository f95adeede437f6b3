import { MetadataEditor } from './metadata-editor.tsx'
import { isBlank, METADATA_HELP, type MetadataRow } from './metadata-rows.ts'

interface NewMetadataProps {
  rows: readonly MetadataRow[]
  onChange: (rows: MetadataRow[]) => void
  isChecked: boolean
}

/** The metadata of a new record, collapsed by default. */
export function NewMetadata({ rows, ...props }: NewMetadataProps) {
  const count = rows.filter((row) => !isBlank(row)).length
  return (
    <details>
      <summary className="w-fit text-[0.8125rem] font-medium">
        Metadata{count > 0 ? ` (${count})` : ' (optional)'}
      </summary>
      <p className="mt-1 mb-2.5 text-xs text-muted">{METADATA_HELP}</p>
      <MetadataEditor rows={rows} {...props} />
    </details>
  )
}
