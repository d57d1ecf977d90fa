//! The spelling of types in messages.

use super::{Access, ImageKind, Length, Opaque, QualifiedType, Qualifiers, Type, Types};
use crate::{space::Space, symbol::Interner};

impl Types {
    /// Returns `ty` as a programmer would write it, with every space spelled out.
    pub(crate) fn spell(&self, ty: QualifiedType, interner: &Interner) -> String {
        let mut suffix = String::new();
        let mut stars = String::new();
        let mut ty = ty;
        loop {
            match self.of(ty) {
                Type::Pointer(pointee) => {
                    // The outermost pointer is usually in private; an inner one in private is worth mentioning.
                    let silent = stars.is_empty().then_some(Space::Private);
                    let quals = qualifier_text(ty.quals, silent);
                    stars = match (quals.is_empty(), stars.is_empty()) {
                        (true, _) => format!("*{stars}"),
                        (false, true) => format!("*{}", quals.trim_end()),
                        (false, false) => format!("*{quals}{stars}"),
                    };
                    if matches!(self.of(pointee), Type::Array { .. } | Type::Function(_)) {
                        stars = format!("({stars})");
                    }
                    ty = pointee;
                }
                Type::Array { element, length } => {
                    match length {
                        Length::Known(length) => suffix = format!("{suffix}[{length}]"),
                        _ => suffix.push_str("[]"),
                    }
                    ty = element;
                }
                Type::Function(_) => return format!("a function {stars}{suffix}"),
                base => {
                    let silent = stars.is_empty().then_some(Space::Private);
                    let quals = qualifier_text(ty.quals, silent);
                    let base = self.base_text(base, interner);
                    let gap = if stars.is_empty() { "" } else { " " };
                    return format!("{quals}{base}{gap}{stars}{suffix}");
                }
            }
        }
    }

    fn base_text(&self, base: Type, interner: &Interner) -> String {
        match base {
            Type::Error => "unknown".to_owned(),
            Type::Void => "void".to_owned(),
            Type::Scalar(scalar) => scalar.name().to_owned(),
            Type::Vector { element, width } => format!("{}{width}", element.name()),
            Type::Atomic(scalar) => format!("atomic_{}", scalar.name()),
            Type::Record(id) => {
                let record = self.record(id);
                let kind = if record.is_union { "union" } else { "struct" };
                match (record.tag, record.alias) {
                    (Some(tag), _) => format!("{kind} {}", interner.text(tag)),
                    (None, Some(alias)) => interner.text(alias).to_owned(),
                    (None, None) => kind.to_owned(),
                }
            }
            Type::Image { kind, access } => format!("{} {}", access.name(), kind.name()),
            Type::Opaque(opaque) => opaque.name().to_owned(),
            Type::Pipe(element) => format!("pipe {}", self.spell_short(element, interner)),
            Type::Block(_) => "block".to_owned(),
            Type::Pointer(_) | Type::Array { .. } | Type::Function(_) => "derived".to_owned(),
        }
    }

    fn spell_short(&self, ty: QualifiedType, interner: &Interner) -> String {
        match self.of(ty) {
            Type::Pointer(_) => "pointer".to_owned(),
            base => self.base_text(base, interner),
        }
    }
}

fn qualifier_text(quals: Qualifiers, silent: Option<Space>) -> String {
    let mut text = String::new();
    if let Some(space) = quals.space.filter(|&space| Some(space) != silent) {
        text.push_str(space.name());
        text.push(' ');
    }
    for (is_set, word) in [
        (quals.is_const, "const "),
        (quals.is_volatile, "volatile "),
        (quals.is_restrict, "restrict "),
    ] {
        if is_set {
            text.push_str(word);
        }
    }
    text
}

impl Access {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Read => "read_only",
            Self::Write => "write_only",
            Self::ReadWrite => "read_write",
        }
    }
}

impl ImageKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::D1 => "image1d_t",
            Self::D1Buffer => "image1d_buffer_t",
            Self::D1Array => "image1d_array_t",
            Self::D2 => "image2d_t",
            Self::D2Array => "image2d_array_t",
            Self::D2Depth => "image2d_depth_t",
            Self::D2ArrayDepth => "image2d_array_depth_t",
            Self::D2Msaa => "image2d_msaa_t",
            Self::D2ArrayMsaa => "image2d_array_msaa_t",
            Self::D2MsaaDepth => "image2d_msaa_depth_t",
            Self::D2ArrayMsaaDepth => "image2d_array_msaa_depth_t",
            Self::D3 => "image3d_t",
        }
    }
}

impl Opaque {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sampler => "sampler_t",
            Self::Event => "event_t",
            Self::ClkEvent => "clk_event_t",
            Self::ReserveId => "reserve_id_t",
            Self::Queue => "queue_t",
            Self::NdRange => "ndrange_t",
            Self::AtomicFlag => "atomic_flag",
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        space::Space,
        symbol::Interner,
        types::{Length, QualifiedType, TypeId, Types},
    };

    fn spelled(build: impl FnOnce(&mut Types) -> QualifiedType) -> String {
        let mut types = Types::default();
        let ty = build(&mut types);
        types.spell(ty, &Interner::default())
    }

    #[test]
    fn every_space_below_the_outermost_level_is_spelled() {
        let text = spelled(|types| {
            let object = types.in_space(TypeId::INT.plain(), Space::Global);
            let inner = types.pointer(object).plain();
            let inner = types.in_space(inner, Space::Private);
            types.pointer(inner).plain()
        });
        assert_eq!(text, "global int *private *");
    }

    #[test]
    fn pointers_to_arrays_have_parentheses() {
        let text = spelled(|types| {
            let element = types.in_space(TypeId::INT.plain(), Space::Local);
            let array = types.array(element, Length::Known(4)).plain();
            types.pointer(array).plain()
        });
        assert_eq!(text, "local int (*)[4]");
    }
}
