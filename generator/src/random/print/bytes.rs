//! Objects as bytes: what points to them is cast to a pointer to `uchar` in the same space.

use expectations::space::AddressSpace;

use super::{super::tree::Expression, Printer};

impl Printer<'_> {
    /// Returns the type of a pointer to bytes, such as `global uchar *`.
    fn bytes_type(&self, pointer: &Expression) -> String {
        let mut out = String::new();
        if let Some(known) = self.program.types.as_pointer(pointer.ty) {
            self.put_space(&mut out, self.pointee_space(known.space));
            if known.is_const && known.space != AddressSpace::Constant {
                out.push_str("const ");
            }
        }
        out + "uchar *"
    }

    pub(super) fn sum_of_bytes(&self, pointer: &Expression) -> String {
        let known = self.program.types.as_pointer(pointer.ty);
        let number = known.and_then(|known| self.program.types.as_scalar(known.to));
        let bytes = number.map_or(1, |number| number.bits() / 8);
        let (ty, pointer) = (self.bytes_type(pointer), self.value(pointer));
        let each: Vec<String> =
            (0..bytes).map(|byte| format!("(({ty})({pointer}))[{byte}]")).collect();
        format!("(uint)({})", each.join(" + "))
    }

    /// Writes a copy of bytes; both places are computed before a byte is written.
    pub(super) fn copy_bytes(&mut self, to: &Expression, from: &Expression) {
        let known = self.program.types.as_pointer(to.ty);
        let size = known.map_or_else(String::new, |known| self.type_name(known.to));
        let declared = |name: &str, pointer: &Expression| {
            let (ty, pointer) = (self.bytes_type(pointer), self.value(pointer));
            format!("{ty}{name} = ({ty})({pointer});")
        };
        let lines = [
            declared("to", to),
            declared("from", from),
            format!("for (uint i = 0; i < sizeof({size}); i++) to[i] = from[i];"),
        ];
        self.line("{");
        self.indent += 1;
        for line in lines {
            self.line(&line);
        }
        self.indent -= 1;
        self.line("}");
    }
}
